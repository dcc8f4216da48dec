import EventLoop
import HTTP
import TestSupport
import Testing
import WebSocket

@testable import EngineIO

@Suite("The count of a session's bytes", .ownThread, .timeLimit(.minutes(10)))
struct SentBytesTests {
    /// Sends many messages on `go`, and answers `left` with the number of them that have begun to leave and the number of
    /// bytes since the beginning of the last one.
    private final class Counting: EngineHandler {
        static let text = String(repeating: "one more ", count: 60)
        static let count = 20
        private var starts: [UInt64] = []

        func received(_ message: Message, on socket: EngineSocket) {
            if message == .text("go") {
                for _ in 0..<Self.count {
                    starts.append(socket.sentBytes + UInt64(socket.queuedBytes))
                    socket.send(.text(Self.text))
                }
            } else {
                let sent = socket.sentBytes
                socket.send(.text("\(starts.filter { $0 < sent }.count) \(sent - (starts.last ?? 0))"))
            }
        }

        func ended(_ ending: EngineEnding, on socket: EngineSocket) {}
    }

    /// Opens a session by polling; returns the query that names it.
    private static func open(port: UInt16) async throws -> String {
        let text = try await HTTPCall.get(port: port, "/?EIO=4&transport=polling").text
        let id = try #require(text.firstMatch(of: /"sid":"([^"]+)"/)?.1)
        return "EIO=4&transport=polling&sid=\(id)"
    }

    @Test(
        "Messages that wait for a poll keep their places among all bytes when their session upgrades, with compression too"
    )
    func upgrade() async throws {
        let loops = EventLoopGroup(count: 1)
        // A machine that stands still reaches none of these times.
        var settings = EngineSettings()
        settings.pingInterval = .seconds(600)
        settings.upgradeTimeout = .seconds(600)
        let engine = EngineServer(on: loops, settings: settings, node: "n1") { _ in
            EngineAcceptance { _ in Counting() }
        }
        let server = Server(on: loops) { await engine.respond(to: $0) }
        let port = try server.start(at: SocketAddress(ip: "127.0.0.1", port: 0)!).port
        let session = try await Self.open(port: port)
        let socket = try RawConnection(port: port)
        let target = "/?" + session.replacing("polling", with: "websocket")
        try socket.send(ClientHandshake(host: "x", target: target, deflate: DeflatePolicy()).request)
        #expect(try socket.receive(until: "\r\n\r\n").contains("permessage-deflate"))
        try socket.send(frame: "2probe")
        #expect(try socket.frame() == "3probe")
        let posted = try await HTTPCall("POST", port: port, "/?\(session)", body: Array("4go".utf8)).reply()
        #expect(posted.text == "ok")
        try socket.send(frame: "5")
        for _ in 0..<Counting.count { #expect(try socket.frame() == "4" + Counting.text) }
        try socket.send(frame: "4left")
        let size = SharedFrame(.text("4" + Counting.text)).plain.count
        #expect(try socket.frame() == "4\(Counting.count) \(size)")
        await onOwnThread { loops.stop() }
    }

    @Test("A packet for a poll counts as many bytes as its frame on a WebSocket", arguments: [EngineVersion.v3, .v4])
    func frames(_ version: EngineVersion) {
        for takesBinary in [true, false] {
            let machine = EngineMachine(
                version, over: .polling, takesBinary: takesBinary, times: EngineTimes(EngineSettings()), now: 0)
            for length in [0, 1, 2, 3, 124, 125, 126, 65_534, 65_535, 65_536] {
                let bytes = [UInt8](repeating: 0x61, count: length)
                for message in [Message(.text, bytes), Message(.binary, bytes)] {
                    let packet = EnginePacket(.message, message)
                    let frame = SharedFrame(machine.message(for: packet)).plain
                    #expect(machine.frameSize(of: packet) == frame.count, "\(length) bytes, \(message.kind)")
                }
            }
        }
    }
}

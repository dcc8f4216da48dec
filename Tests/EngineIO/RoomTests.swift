import EventLoop
import HTTP
import Synchronization
import TestSupport
import Testing
import WebSocket

@testable import EngineIO

@Suite("The room for sessions", .ownThread, .timeLimit(.minutes(10)))
struct RoomTests {
    /// Holds requests back while the application decides about them.
    private final class Door: Sendable {
        private let held = Mutex<[CheckedContinuation<Void, Never>]>([])

        var count: Int { held.withLock { $0.count } }

        func wait() async {
            await withCheckedContinuation { continuation in held.withLock { $0.append(continuation) } }
        }

        func open() {
            for continuation in held.withLock({ $0 }) { continuation.resume() }
        }
    }

    private final class Silent: EngineHandler {
        func received(_ message: Message, on socket: EngineSocket) {}
        func ended(_ ending: EngineEnding, on socket: EngineSocket) {}
    }

    @Test("A request that is accepted late opens no session if the last place was taken meanwhile")
    func takenMeanwhile() async throws {
        let door = Door()
        let loops = EventLoopGroup(count: 1)
        var settings = EngineSettings()
        settings.sessionsPerLoop = 1
        let engine = EngineServer(on: loops, settings: settings, node: "n1") { request in
            if request.headers.contains("X-Slow") { await door.wait() }
            return EngineAcceptance { _ in Silent() }
        }
        let server = Server(on: loops) { await engine.respond(to: $0) }
        let port = try server.start(at: SocketAddress(ip: "127.0.0.1", port: 0)!).port
        let target = "/?EIO=4&transport=polling"
        async let slow = HTTPCall.get(port: port, target, headers: [("X-Slow", "1")])
        let socket = try RawConnection(port: port)
        let handshake = ClientHandshake(
            host: "x", target: "/?EIO=4&transport=websocket", headers: [(name: "X-Slow", value: "1")])
        try socket.send(handshake.request)
        try await eventually { door.count == 2 }
        let quick = try? await HTTPCall.get(port: port, target)
        door.open()
        #expect(quick?.status == 200)
        let refused = try await slow
        #expect(refused.status == 503 && refused.headers["retry-after"] == "5")
        #expect(try socket.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 503"))
        await onOwnThread { loops.stop() }
    }
}

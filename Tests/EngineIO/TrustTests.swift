import Synchronization
import TestSupport
import Testing
import WebSocket

@testable import EngineIO

@Suite("Clients that are not trusted", .timeLimit(.minutes(5)))
struct TrustTests {
    /// The head of the reply to a WebSocket handshake that offers compression, and its connection.
    private static func handshake(
        _ server: TestServer, _ query: String = "EIO=4&transport=websocket", _ fields: String...
    ) throws -> (RawConnection, String) {
        let connection = try RawConnection(port: server.port)
        let text = """
            GET /?\(query.replacing("polling", with: "websocket")) HTTP/1.1
            Host: x
            Upgrade: websocket
            Connection: Upgrade
            Sec-WebSocket-Version: 13
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
            Sec-WebSocket-Extensions: permessage-deflate

            """
        let lines = text.split(separator: "\n").map(String.init) + fields
        try connection.send((lines + ["", ""]).joined(separator: "\r\n"))
        return (connection, try connection.receive(until: "\r\n\r\n"))
    }

    @Test("Compression is declined for a client that the application does not trust, and a compressed frame ends it")
    func declined() async throws {
        let server = try TestServer()
        let (_, trusted) = try Self.handshake(server)
        #expect(trusted.contains("permessage-deflate"))
        let (connection, head) = try Self.handshake(server, "EIO=4&transport=websocket", "X-Nameless: 1")
        #expect(head.hasPrefix("HTTP/1.1 101") && !head.contains("permessage-deflate"))
        _ = try connection.frame()
        // A compressed frame of 3 bytes, masked with zeros.
        try connection.send([0xC1, 0x83, 0, 0, 0, 0, 0x32, 0x04, 0x00])
        #expect(try connection.frame() == nil)
        try await eventually { server.told.contains("transport closed") }
    }

    @Test("An upgrade is compressed only if its session is trusted by then", arguments: [false, true])
    func upgrade(isTrusted: Bool) async throws {
        let server = try TestServer()
        let headers = isTrusted ? [] : [("X-Nameless", "1")]
        let reply = try await server.get("EIO=4&transport=polling", headers: headers)
        let id = try #require(reply.text.firstMatch(of: /"sid":"([^"]+)"/)?.1)
        let (_, head) = try Self.handshake(server, "EIO=4&transport=polling&sid=\(id)")
        #expect(head.hasPrefix("HTTP/1.1 101"))
        #expect(head.contains("permessage-deflate") == isTrusted)
    }

    @Test("A client that sends more than its rate is cut off, and the application is notified")
    func overRate() async throws {
        var settings = EngineSettings()
        settings.rates = ReceiveRates(
            frames: .init(perSecond: 1, burst: 20), inflatedBytes: .init(perSecond: 1, burst: 1))
        let server = try TestServer(settings)
        let connection = try server.webSocket()
        // A machine that stands still meanwhile gives the client another burst.
        for _ in 0..<100 { try? connection.send(frame: "3") }
        try await eventually { server.told == ["over rate"] }
        #expect(server.sessionCount == 0)
    }

    @Test("A client that posts more packets than its rate is cut off, and its application is told")
    func postedOverRate() async throws {
        var settings = EngineSettings()
        settings.rates = ReceiveRates(
            frames: .init(perSecond: 0, burst: 20), inflatedBytes: .init(perSecond: 0, burst: 1))
        let server = try TestServer(settings)
        let session = try await server.open()
        let packets = Array(repeating: "3", count: 10).joined(separator: "\u{1E}")
        for _ in 0..<2 { #expect(try await server.post(session, packets).text == "ok") }
        #expect(server.told == [])
        #expect(try await server.post(session, "3").status == 400)
        #expect(server.told == ["over rate"])
        #expect(server.sessionCount == 0)
    }
}

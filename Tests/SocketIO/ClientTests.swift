import EngineIO
import EventLoop
import HTTP
import SocketIO
import Synchronization
import TestSupport
import Testing
import WebSocket
import Wire

@Suite("Socket.IO on a server", .timeLimit(.minutes(10)))
struct ClientTests {
    /// Accepts everyone into `/open`, and answers for `/later` in the loop's next turn.
    private final class Rooms: SocketIOHandler {
        let ended: @Sendable (EngineEnding) -> Void

        init(ended: @escaping @Sendable (EngineEnding) -> Void) { self.ended = ended }

        func join(_ namespace: String, _ authentication: SocketIOAuthentication, from client: SocketIOClient) {
            switch namespace {
            case "/open":
                client.accept(namespace)
                client.send(SharedPacket(.event("hello", in: namespace) { $0.value("all") }))
                client.send(.event("elsewhere", in: "/later") { _ in })
            case "/later":
                client.engine.loop.execute { [weak client] in _ = client?.accept("/later") }
            default: client.refuse(namespace, message: "no")
            }
        }

        func received(_ event: SocketIOEvent, in namespace: String, from client: SocketIOClient) {
            if event.name == "out" { client.disconnect(namespace) }
        }

        func ended(_ ending: EngineEnding, from client: SocketIOClient) { ended(ending) }
    }

    private final class Endings: Sendable {
        let all = Mutex<[EngineEnding]>([])

        /// The client, on another loop, may see its end a moment before the application.
        func become(_ expected: [EngineEnding]) async throws {
            try await eventually("\(expected)") { all.withLock { $0.count } >= expected.count }
            #expect(all.withLock { $0 } == expected)
        }
    }

    private func serve(
        _ settings: SocketIOSettings = SocketIOSettings(), _ endings: Endings = Endings(),
        _ body: (UInt16) async throws -> Void
    ) async throws {
        let group = EventLoopGroup(count: 2)
        // On a busy machine a test may pause for longer than a heartbeat.
        var times = EngineSettings()
        times.pingInterval = .seconds(600)
        let engine = EngineServer(on: group, settings: times) { _ in
            EngineAcceptance { socket in
                SocketIOClient(socket, settings: settings) { _ in
                    Rooms { ending in endings.all.withLock { $0.append(ending) } }
                }
            }
        }
        let server = Server(on: group) { await engine.respond(to: $0) }
        let port = try server.start(at: SocketAddress(ip: "127.0.0.1", port: 0)!).port
        let result: Result<Void, any Error>
        do { result = .success(try await body(port)) } catch { result = .failure(error) }
        await Task.detached { group.stop() }.value
        try result.get()
    }

    /// The query of a session, after the handshake.
    private func open(_ port: UInt16) async throws -> String {
        let reply = try await HTTPCall.get(port: port, "/?EIO=4&transport=polling")
        let id = try #require(reply.text.firstMatch(of: /"sid":"([^"]+)"/)?.1)
        return "/?EIO=4&transport=polling&sid=\(id)"
    }

    private func post(_ port: UInt16, _ target: String, _ body: String) async throws {
        let reply = try await HTTPCall("POST", port: port, target, body: Array(body.utf8)).reply()
        #expect(reply.text == "ok")
    }

    @Test("Packets reach the clients in their namespace, and no others")
    func sending() async throws {
        try await serve { port in
            let session = try await open(port)
            try await post(port, session, "40/open,")
            let reply = try await HTTPCall.get(port: port, session).text
            #expect(reply.wholeMatch(of: /40\/open,\{"sid":"[^"]+"\}\x{1E}42\/open,\["hello","all"\]/) != nil)
            try await post(port, session, "40/later,\u{1E}40/no,")
            var packets: [String] = []
            while packets.count < 2 {
                packets += try await HTTPCall.get(port: port, session).text.split(separator: "\u{1E}").map(String.init)
            }
            #expect(packets.contains(#"44/no,{"message":"no"}"#) && packets.contains { $0.hasPrefix("40/later,{") })
            try await post(port, session, #"42/open,["out"]"#)
            #expect(try await HTTPCall.get(port: port, session).text == "41/open,")
        }
    }

    @Test("A client that asks for nothing is closed in time; one that has asked stays, even if it has left again")
    func connectTimeout() async throws {
        var settings = SocketIOSettings()
        settings.connectTimeout = .seconds(2).patiently
        let endings = Endings()
        try await serve(settings, endings) { port in
            let silent = try await open(port)
            #expect(try await HTTPCall.get(port: port, silent).text == "1")
            try await endings.become([.closedHere])
            let talking = try await open(port)
            try await post(port, talking, "40/open,\u{1E}41/open,")
            _ = try await HTTPCall.get(port: port, talking)
            // The later client was closed, so the first one's time is over.
            let later = try await open(port)
            #expect(try await HTTPCall.get(port: port, later).text == "1")
            try await post(port, talking, "40/open,")
            try await endings.become([.closedHere, .closedHere])
        }
    }

    @Test("A packet that violates the protocol closes the connection")
    func violation() async throws {
        let endings = Endings()
        try await serve(SocketIOSettings(), endings) { port in
            let session = try await open(port)
            try await post(port, session, "42[]")
            #expect(try await HTTPCall.get(port: port, session).text == "1")
            try await endings.become([.closedHere])
        }
    }
}

import Contract
import EngineIO
import EventLoop
import ServiceKit
import SocketIO
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Revocations during a handshake")
struct RevokedHandshakeTests {
    @Test("A socket of a session that is revoked during its handshake is closed; other sockets stay open")
    func revoked() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode(assembledBy: Self.assemble) { node in
                for user in Int64(1)...2 {
                    let client = try SocketClient(port: node.port, headers: [("Authorization", harness.token(user))])
                    if user == 1 {
                        try await client.until("its end") { $0.isEnded }
                    } else {
                        try client.join("/ws-channel-7")
                        try await client.until("a way in") { $0.joined.contains("/ws-channel-7") }
                    }
                }
            }
        }
    }

    /// A gateway that hears of the revocation of the first user's session between the check of a handshake and the opening
    /// of its socket.
    @Sendable private static func assemble(_ service: ServiceBuilder) async throws {
        let settings = try GatewaySettings(service.config)
        let chat = ChatClient(service.internalClient(service.peers.chat))
        let admission = try App.makeAdmission(settings, service, chat)
        let me = try App.makeMe(settings, service, chat, OnlineStore.Times())
        let shards = try App.makeShards(settings, service, chat, admission, me)
        let engine = EngineServer(on: service.loops, settings: settings.engine) { request throws(EngineError) in
            let handshake = try await admission.handshake(request)
            admission.revocations.insert(Revocation(session: SessionID(1001), user: UserID(1), at: .now))
            return EngineAcceptance(mayCompress: true) { socket in
                SocketIOClient(socket, settings: settings.socketIO) { client in
                    GatewayClient(client, handshake, shard: shards.current, admission: admission)
                }
            }
        }
        service.mount("/socket.io", engine.respond(to:))
        service.atDrain { await engine.drain(over: .zero) }
    }
}

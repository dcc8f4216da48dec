import Contract
import EngineIO
import EventLoop
import HTTP
import ServiceKit
import SocketIO

@testable import realtime_gateway

extension ServiceBuilder {
    /// Assembles a gateway in which something happens just before and just after the check of each handshake.
    func assembleGateway(
        before: @escaping @Sendable (Request, Admission) async -> Void = { _, _ in },
        after: @escaping @Sendable (Admission) -> Void = { _ in }
    ) throws {
        let settings = try GatewaySettings(config)
        let chat = ChatClient(internalClient(peers.chat))
        let admission = try App.makeAdmission(settings, self, chat)
        let me = try App.makeMe(settings, self, chat, OnlineStore.Times())
        let shards = try App.makeShards(settings, self, chat, admission, me)
        let engine = EngineServer(on: loops, settings: settings.engine) { request throws(EngineError) in
            await before(request, admission)
            let handshake = try await admission.handshake(request)
            after(admission)
            return EngineAcceptance(mayCompress: true) { socket in
                SocketIOClient(socket, settings: settings.socketIO) { client in
                    GatewayClient(client, handshake, shard: shards.current, admission: admission)
                }
            }
        }
        mount("/socket.io", engine.respond(to:))
        atDrain { await engine.drain(over: .zero) }
    }
}

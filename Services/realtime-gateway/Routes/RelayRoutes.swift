import EngineIO
import HTTP
import ServiceKit

/// What other nodes hand on: requests for sessions that live here.
struct RelayRoutes: Sendable {
    let engine: EngineServer

    static let path = "/internal/socket.io"

    func register(in routes: inout InternalRoutes) {
        routes.add(.get, Self.path, relayed)
        routes.add(.post, Self.path, relayed)
    }

    func relayed(_ call: InternalCall) async throws -> Response {
        // New sessions are opened where they are asked for.
        guard EngineServer.node(of: call.request) != nil else {
            return engine.refuse(.unknownSession, to: call.request)
        }
        return await engine.respond(to: call.request)
    }
}

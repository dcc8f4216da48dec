import EngineIO
import HTTP
import ServiceKit

/// Requests that other nodes forward, for sessions of this node.
struct RelayRoutes: Sendable {
    let engine: EngineServer

    static let path = "/internal/socket.io"

    func register(in routes: inout InternalRoutes) {
        routes.add(.get, Self.path, relayed)
        routes.add(.post, Self.path, relayed)
    }

    func relayed(_ call: InternalCall) async throws -> Response {
        // Only the node that gets a public request opens a session.
        guard EngineServer.node(of: call.request) != nil else {
            return engine.refuse(.unknownSession, to: call.request)
        }
        return await engine.respond(to: call.request)
    }
}

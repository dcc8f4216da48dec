import HTTP
import ServiceKit
import Wire

/// A home screen in one call.
struct GlanceRoutes: Sendable {
    let glances: Glances

    func register(in routes: inout PublicRoutes) {
        routes.signedIn(.get, "/v1/workspaces/{id}/rooms", rooms)
    }

    func rooms(_ call: Call, _ caller: Caller) async throws -> Response {
        call.reply(try await glances.rooms(of: caller.user, in: try call.id("id")))
    }
}

import Contract
import HTTP
import ServiceKit
import Wire

/// Serves a home screen in one call.
struct RoomSummaryRoutes: Sendable {
    let summaries: RoomSummaries

    func register(in routes: inout PublicRoutes) {
        routes.signedIn(.get, "/v1/workspaces/{id}/rooms", rooms)
    }

    func rooms(_ call: Call, _ caller: Caller) async throws -> Response {
        let rooms = try await summaries.rooms(
            of: caller.user, in: try call.id("id"), withOwnState: call.profile.isNative)
        return call.reply(rooms.map(RoomSummaryView.init))
    }
}

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
        let profile = call.profile
        let readers = MessageDetails.Readers(caller, profile)
        return try await call.reply(
            summaries.rooms(of: caller.user, in: try call.id("id"), for: readers, withOwnState: profile.isNative) {
                summary, json in
                json.view(RoomSummaryView(summary: summary), for: profile)
            })
    }
}

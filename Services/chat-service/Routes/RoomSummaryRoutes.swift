import Contract
import HTTP
import ServiceKit
import Wire

/// Serves a home screen in one call.
struct RoomSummaryRoutes: Sendable {
    let threads: Threads
    let summaries: RoomSummaries

    func register(in routes: inout PublicRoutes) {
        routes.signedIn(.get, "/v1/workspaces/{id}/rooms", rooms)
    }

    func rooms(_ call: Call, _ caller: Caller) async throws -> Response {
        let (profile, workspace): (ClientProfile, WorkspaceID) = (call.profile, try call.id("id"))
        let readers = MessageDetails.Readers(caller, profile)
        let wantsThreads = try profile.isNative && call.wantsThreads()
        let list = try await summaries.rooms(
            of: caller.user, in: workspace, for: readers, withOwnState: profile.isNative
        ) { summary, json in
            json.view(RoomSummaryView(summary: summary), for: profile)
        }
        guard wantsThreads else { return try await call.reply(list) }
        let counts = try await threads.counts(of: caller.user, in: workspace)
        var body = PagedBody()
        body.append { json in
            json.beginObject()
            json.object("threads") { json in
                json.field("unreadCount", counts.unread)
                json.field("mentionCount", counts.mentions)
            }
            json.key("rooms")
        }
        body.append(array: list)
        body.append { json in json.endObject() }
        return try await call.reply(body)
    }
}

extension Call {
    /// Whether the reply has the counts of threads beside the rooms, by `with=threads`.
    fileprivate func wantsThreads() throws -> Bool {
        guard let text = try query("with"), !text.isEmpty else { return false }
        guard text == "threads" else { throw Failure.invalid("with must be threads.") }
        return true
    }
}

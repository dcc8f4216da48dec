import Contract
import HTTP
import ServiceKit
import Wire

/// A home screen in one call: every room of the caller's with its last message, unread count and read position.
struct GlanceRoutes: Sendable {
    let doors: Doors
    let conversations: Conversations

    func register(in routes: inout PublicRoutes) {
        routes.signedIn(.get, "/v1/workspaces/{id}/rooms", rooms)
    }

    func rooms(_ call: Call, _ caller: Caller) async throws -> Response {
        let workspace: WorkspaceID = try call.id("id")
        try await doors.requireMembers([caller.user], of: workspace)
        let channels = try await doors.workspaces.channels(of: caller.user, in: workspace)
        let dms = try await doors.dms.list(workspace, of: caller.user)
        let names = Dictionary(channels.map { (RoomID($0.id), $0.name) }) { first, _ in first }
        let opponents = Dictionary(dms.map { ($0.room, $0.opponent(of: caller.user)) }) { first, _ in first }
        let glances = try await conversations.messages.glance(
            channels.map { RoomID($0.id) } + dms.map(\.room), for: caller.user)
        let people = try await conversations.profiles.members(
            glances.compactMap { $0.last?.author } + Array(opponents.values))
        return call.reply(
            glances.map { glance in
                RoomGlanceView(
                    glance: glance, name: names[glance.room],
                    opponent: opponents[glance.room].map { people[$0] ?? .gone($0) },
                    last: glance.last.map { $0.body(by: people[$0.author] ?? .gone($0.author)) })
            })
    }
}

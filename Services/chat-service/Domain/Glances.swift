import Contract
import ServiceKit
import Wire

/// Home screens: every room of someone's with its last message, unread count and read position.
struct Glances: Sendable {
    let doors: Doors
    let messages: MessageStore
    let profiles: ProfileCache

    /// The rooms of a member of the workspace: channels first, then DMs.
    func rooms(of user: UserID, in workspace: WorkspaceID) async throws -> [RoomGlanceView] {
        try await doors.requireMembers([user], of: workspace)
        let channels = try await doors.workspaces.channels(of: user, in: workspace)
        let dms = try await doors.dms.list(workspace, of: user)
        let names = Dictionary(channels.map { (RoomID($0.id), $0.name) }) { first, _ in first }
        let opponents = Dictionary(dms.map { ($0.room, $0.opponent(of: user)) }) { first, _ in first }
        let glances = try await messages.glance(channels.map { RoomID($0.id) } + dms.map(\.room), for: user)
        let people = try await profiles.members(glances.compactMap { $0.last?.author } + Array(opponents.values))
        return glances.map { glance in
            RoomGlanceView(
                glance: glance, name: names[glance.room],
                opponent: opponents[glance.room].map { people[$0] ?? .gone($0) },
                last: glance.last.map { $0.body(by: people[$0.author] ?? .gone($0.author)) })
        }
    }
}

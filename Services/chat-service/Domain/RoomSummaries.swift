import Contract
import ServiceKit
import Wire

/// Builds home screens: every room of a user with its last message, unread count and read marker.
struct RoomSummaries: Sendable {
    let access: RoomAccess
    let messages: MessageStore
    let details: MessageDetailStore
    let profiles: ProfileCache

    /// The user's rooms in a workspace: channels first, then DMs. The user must be a member of the workspace.
    func rooms(
        of user: UserID, in workspace: WorkspaceID, for readers: MessageDetails.Readers
    ) async throws -> [RoomSummary] {
        try await access.requireMembers([user], of: workspace)
        let channels = try await access.channels(of: user, in: workspace)
        let dms = try await access.dms(of: user, in: workspace)
        let names = Dictionary(channels.map { ($0.room, $0.name) }) { first, _ in first }
        let opponents = Dictionary(dms.map { ($0.room, $0.opponent(of: user)) }) { first, _ in first }
        let states = try await messages.states(
            of: channels.map(\.room) + dms.map(\.room), for: user, upTo: RoomSummary.maxContent + 1)
        var newest = states.compactMap(\.last)
        try await details.fill(&newest, for: readers)
        let lasts = Dictionary(newest.map { ($0.room, $0) }) { first, _ in first }
        let people = try await profiles.members(states.compactMap { $0.last?.author } + Array(opponents.values))
        return states.map { state in
            let shortened = state.last.flatMap { RoomSummary.shortened($0.content) }
            return RoomSummary(
                state: state, name: names[state.room],
                opponent: opponents[state.room].map { people[$0] ?? .deleted($0) },
                lastMessage: lasts[state.room].map { last in
                    last.body(by: people[last.author] ?? .deleted(last.author), content: shortened)
                },
                isShortened: shortened != nil)
        }
    }
}

import Contract
import ServiceKit
import Wire

/// Builds home screens: every room of a user with its last message, unread count and read marker.
struct RoomSummaries: Sendable {
    let access: RoomAccess
    let messages: MessageStore
    let profiles: ProfileCache
    let levels: RoomNotifyStore
    let drafts: DraftStore

    /// The user's rooms in a workspace: channels first, then DMs. The user must be a member of the workspace.
    ///
    /// - Parameter withOwnState: whether the client shows levels and drafts.
    func rooms(of user: UserID, in workspace: WorkspaceID, withOwnState: Bool) async throws -> [RoomSummary] {
        try await access.requireMembers([user], of: workspace)
        let channels = try await access.channels(of: user, in: workspace)
        let dms = try await access.dms(of: user, in: workspace)
        let names = Dictionary(channels.map { ($0.room, $0.name) }) { first, _ in first }
        let opponents = Dictionary(dms.map { ($0.room, $0.opponent(of: user)) }) { first, _ in first }
        let states = try await messages.states(
            of: channels.map(\.room) + dms.map(\.room), for: user, upTo: RoomSummary.maxContent + 1)
        let own = withOwnState ? try await ownStates(of: user) : nil
        let people = try await profiles.members(states.compactMap { $0.last?.author } + Array(opponents.values))
        return states.map { state in
            let shortened = state.last.flatMap { RoomSummary.shortened($0.content) }
            return RoomSummary(
                state: state, name: names[state.room],
                opponent: opponents[state.room].map { people[$0] ?? .deleted($0) },
                lastMessage: state.last.map { last in
                    last.body(by: people[last.author] ?? .deleted(last.author), content: shortened)
                },
                isShortened: shortened != nil, own: own.map { $0[state.room] ?? OwnRoomState() })
        }
    }

    private func ownStates(of user: UserID) async throws -> [RoomID: OwnRoomState] {
        async let levels = levels.list(of: user)
        async let drafts = drafts.list(of: user)
        var states = try await levels.mapValues { OwnRoomState(notify: $0) }
        for (room, drafts) in try await drafts { states[room, default: OwnRoomState()].drafts = drafts }
        return states
    }
}

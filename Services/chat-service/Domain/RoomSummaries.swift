import Contract
import ServiceKit
import Wire

/// Builds home screens: every room of a user with its last message, unread count and read marker.
struct RoomSummaries: Sendable {
    let access: RoomAccess
    let blocks: BlockCache
    let messages: MessageStore
    let details: MessageDetailStore
    let profiles: ProfileCache
    let levels: RoomNotifyStore
    let drafts: DraftStore

    /// A room at its place in the list; the summary is nil if the user has left the room since the list began.
    struct Entry: Sendable {
        let place: Int
        let summary: RoomSummary?
    }

    /// Rooms of a page. Each can take 10 KB: the beginning of its last message and the paths of five files.
    private static let pageSize = 256

    /// The user's rooms in a workspace: channels first, then DMs. The user must be a member of the workspace.
    ///
    /// While the client is slow, only the ids of the rooms stay in memory.
    ///
    /// - Parameter withOwnState: whether the client shows levels and drafts.
    func rooms(
        of user: UserID, in workspace: WorkspaceID, for readers: MessageDetails.Readers, withOwnState: Bool,
        _ write: @escaping @Sendable (RoomSummary, inout JSONWriter) -> Void
    ) async throws -> PagedList<Entry, Int> {
        try await access.requireMember(user, of: workspace)
        let channels = try await access.channels(of: user, in: workspace)
        let dms = try await access.dms(of: user, in: workspace)
        let rooms = channels.map(\.room) + dms.map(\.room)
        let labels = RoomLabels(of: user, channels, dms, access: access)
        return PagedList(pageSize: Self.pageSize) { last, limit in
            let places = ((last ?? -1) + 1)..<rooms.count
            let page = places.prefix(limit)
            let found = try await summaries(
                rooms[page].map { RoomKey(workspace: workspace, id: $0) }, of: user, try await labels.find(rooms[page]),
                for: readers,
                withOwnState: withOwnState)
            return page.map { Entry(place: $0, summary: found[rooms[$0]]) }
        } key: {
            $0.place
        } write: { entry, json in
            if let summary = entry.summary { write(summary, &json) }
        } whenSlow: {
            labels.drop()
        }
    }

    /// The summaries of those rooms that have labels.
    private func summaries(
        _ rooms: [RoomKey], of user: UserID, _ labels: RoomLabels.Labels,
        for readers: MessageDetails.Readers, withOwnState: Bool
    ) async throws -> [RoomID: RoomSummary] {
        if rooms.isEmpty { return [:] }
        let blocked = try await blocks.blocked(by: user)
        let states = try await messages.states(
            of: rooms.filter { labels.contains($0.id) }, for: user, hiding: blocked,
            upTo: RoomSummary.maxContent + 1, inTimeline: withOwnState)
        let own = withOwnState ? try await ownStates(of: user, in: Set(rooms.map(\.workspace))) : nil
        let list = try await summaries(states, labels, for: readers, own: own, hiding: blocked)
        return Dictionary(list.map { ($0.state.room, $0) }) { first, _ in first }
    }

    /// The summaries of rooms with these states, in their order.
    ///
    /// - Parameters:
    ///   - own: the levels and drafts of rooms that have some; nil for a client that does not show them.
    ///   - blocked: authors with hidden messages.
    ///   - scalars: the length to which the contents of last messages are cut.
    func summaries(
        _ states: [RoomState], _ labels: RoomLabels.Labels, for readers: MessageDetails.Readers,
        own: [RoomID: OwnRoomState]?, hiding blocked: Set<UserID>, upTo scalars: Int = RoomSummary.maxContent
    ) async throws -> [RoomSummary] {
        var newest = states.compactMap(\.last)
        try await details.fill(&newest, for: readers)
        let people = try await profiles.members(
            newest.people + states.compactMap { labels.opponents[$0.room] })
        var lasts = newest[...]
        return states.map { state in
            let last = state.last == nil ? nil : lasts.popFirst()
            let shortened = last.flatMap { RoomSummary.shortened($0.content, to: scalars) }
            return RoomSummary(
                state: state, name: labels.names[state.room],
                opponent: labels.opponents[state.room].map { people[$0] ?? .deleted($0) },
                lastMessage: last.map { $0.body(people, content: shortened).hiding(blocked) },
                isShortened: shortened != nil && last.map { !blocked.contains($0.author) } ?? false,
                own: own.map { $0[state.room] ?? OwnRoomState() })
        }
    }

    private func ownStates(
        of user: UserID, in workspaces: Set<WorkspaceID>
    ) async throws -> [RoomID: OwnRoomState] {
        async let levels = levels.list(of: user, in: workspaces)
        async let drafts = drafts.list(of: user, in: workspaces)
        var states = try await levels.mapValues { OwnRoomState(notify: $0) }
        for (room, drafts) in try await drafts { states[room, default: OwnRoomState()].drafts = drafts }
        return states
    }
}

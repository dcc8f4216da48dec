import Contract
import ServiceKit
import Synchronization
import Wire

/// Builds the start of a user's `/me` socket: all rooms of the user in all workspaces, the profile and the settings. While a part of a
/// divided schema is out of reach, the rooms there are missing.
struct MyRooms: Sendable {
    let summaries: RoomSummaries
    let tails: RoomTails
    /// Reads the rows of the users whose sockets start at the same time.
    let rows: GatheredReads<UserStartStore.Reader, UserStartStore.Rows>

    /// The start of a socket.
    struct Start: Sendable {
        let user: MemberView
        let settings: UserSettings
        /// Channels first, then DMs.
        let rooms: [RoomSummary]
        /// The workspaces whose rooms are missing because they are out of reach, in the order of their ids.
        let unavailable: [WorkspaceID]
    }

    /// Unicode scalars of the content of a last message. A list of a thousand rooms must fit into one event.
    static let maxContent = 200
    /// Bytes of the drafts in a start. A user may have 500 drafts as long as messages, which no event holds.
    static let mostDrafts = 64 * 1024
    /// Rooms that are read at a time.
    private static let pageSize = 256

    /// The rooms that are read for a reply with the starts of several users.
    private final class Space: Sendable {
        private let taken = Mutex(0)

        private static let most = 1000

        /// Takes space for the rooms of a start. Returns false if there is too little; the first start has enough.
        func take(_ count: Int) -> Bool {
            taken.withLock { taken in
                guard taken == 0 || taken + count <= Self.most else { return false }
                taken += count
                return true
            }
        }
    }

    /// The starts of several users, read side by side, so that the statements of all make one round trip. Users without a readable
    /// start are missing.
    ///
    /// - Returns: the starts, and the users that are left for other calls because they have too many rooms for this one.
    /// - Throws: the reason, if no start can be read.
    func starts(
        of users: [StartsRequest.User]
    ) async throws -> (found: [(user: UserID, start: Start)], left: [UserID]) {
        let space = Space()
        return try await withThrowingTaskGroup(of: (UserID, Start?).self) { group in
            for user in users {
                group.addTask { (user.id, try await self.start(of: user.id, in: user.channels, within: space)) }
            }
            var found: [(user: UserID, start: Start)] = []
            var left: [UserID] = []
            var failure: (any Error)?
            while let result = await group.nextResult() {
                switch result {
                case .success(let (user, start)):
                    if let start { found.append((user: user, start: start)) } else { left.append(user) }
                case .failure(let error): failure = error
                }
            }
            if found.isEmpty, left.isEmpty, let failure { throw failure }
            return (found: found, left: left)
        }
    }

    /// Throws E99 if it cannot be told which workspaces of the user are within reach.
    ///
    /// - Parameter channels: the channels of the user, as workspace-service knows them now.
    func start(of user: UserID, in channels: [MyRoomsRequest.Channel]) async throws -> Start {
        guard let found = try await start(of: user, in: channels, within: Space()) else { throw Failure.unavailable }
        return found
    }

    /// Nil if there is too little space.
    private func start(
        of user: UserID, in channels: [MyRoomsRequest.Channel], within space: Space
    ) async throws -> Start? {
        let reader = UserStartStore.Reader(user: user, workspaces: Set(channels.map(\.workspace)))
        guard var own = try await rows.value(of: reader) else { throw Failure.unavailable }
        let channels = own.readable(channels)
        guard space.take(channels.count + own.dms.count) else { return nil }
        own.rooms.omitDrafts(beyond: Self.mostDrafts)
        let dms = try await summaries.access.dms(of: user, among: own.dms)
        var labels = RoomLabels.Labels(of: user, [], dms)
        for channel in channels { labels.names[RoomID(channel.id)] = channel.name }
        let rooms =
            channels.map { RoomKey(workspace: $0.workspace, id: RoomID($0.id)) }
            + dms.map { RoomKey(workspace: $0.workspace, id: $0.room) }
        let numbers = Dictionary(rooms.enumerated().map { ($1.id, $0) }) { first, _ in first }
        let blocked = try await summaries.blocks.blocked(by: user)
        var found = [RoomSummary?](repeating: nil, count: rooms.count)
        for start in stride(from: 0, to: rooms.count, by: Self.pageSize) {
            let states = try await tails.states(
                of: Array(rooms[start...].prefix(Self.pageSize)), for: user, hiding: blocked)
            let page = try await summaries.summaries(
                states, labels, for: .one(user), own: own.rooms, hiding: blocked, upTo: Self.maxContent)
            for var summary in page {
                guard let number = numbers[summary.state.room] else { continue }
                summary.workspace = rooms[number].workspace
                found[number] = summary
            }
        }
        return Start(
            user: try await summaries.profiles.member(user), settings: own.settings, rooms: found.compactMap(\.self),
            unavailable: own.unavailable.sorted())
    }
}

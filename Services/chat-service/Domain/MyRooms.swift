import Contract
import ServiceKit
import Wire

/// Builds the start of a user's `/me` socket: all rooms of the user in all workspaces, the profile and the settings.
struct MyRooms: Sendable {
    let summaries: RoomSummaries
    let preferences: Preferences

    /// The start of a socket.
    struct Start: Sendable {
        let user: MemberView
        let settings: UserSettings
        /// Channels first, then DMs.
        let rooms: [RoomSummary]
    }

    /// Unicode scalars of the content of a last message. A list of a thousand rooms must fit into one event.
    private static let maxContent = 200
    /// Rooms that are read at a time.
    private static let pageSize = 256

    /// - Parameter channels: the channels of the user, as workspace-service knows them now.
    func start(of user: UserID, in channels: [MyRoomsRequest.Channel]) async throws -> Start {
        async let settings = preferences.settings(of: user)
        let dms = try await summaries.access.dms(of: user)
        var (workspaces, labels): ([RoomID: WorkspaceID], RoomLabels.Labels) = ([:], .init(of: user, [], dms))
        for channel in channels {
            labels.names[RoomID(channel.id)] = channel.name
            workspaces[RoomID(channel.id)] = channel.workspace
        }
        for dm in dms { workspaces[dm.room] = dm.workspace }
        let rooms = channels.map { RoomID($0.id) } + dms.map(\.room)
        var found: [RoomSummary] = []
        for start in stride(from: 0, to: rooms.count, by: Self.pageSize) {
            let page = Array(rooms[start...].prefix(Self.pageSize))
            let keys = page.compactMap { room in workspaces[room].map { RoomKey(workspace: $0, id: room) } }
            let summaries = try await summaries.summaries(
                keys, of: user, labels, for: .one(user), withOwnState: true, upTo: Self.maxContent)
            for room in page {
                guard var summary = summaries[room] else { continue }
                summary.workspace = workspaces[room]
                found.append(summary)
            }
        }
        return Start(user: try await summaries.profiles.member(user), settings: try await settings, rooms: found)
    }
}

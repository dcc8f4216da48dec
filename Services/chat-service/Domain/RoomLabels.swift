import Contract
import Synchronization
import Wire

/// The names of a user's channels and the other users of their DMs: kept while a reply is written quickly, and read again
/// for each page once it has been dropped.
final class RoomLabels: Sendable {
    struct Labels: Sendable {
        var names: [RoomID: String] = [:]
        var opponents: [RoomID: UserID] = [:]

        init(of user: UserID, _ channels: [ChannelAccess], _ dms: [DM]) {
            for channel in channels { names[channel.room] = channel.name }
            for dm in dms { opponents[dm.room] = dm.opponent(of: user) }
        }

        /// Whether the user is in the room.
        func contains(_ room: RoomID) -> Bool { names[room] != nil || opponents[room] != nil }
    }

    private let user: UserID
    private let access: RoomAccess
    private let kept: Mutex<Labels?>

    init(of user: UserID, _ channels: [ChannelAccess], _ dms: [DM], access: RoomAccess) {
        self.user = user
        self.access = access
        kept = Mutex(Labels(of: user, channels, dms))
    }

    /// The labels of at least those of `rooms` that the user is in.
    func find(_ rooms: ArraySlice<RoomID>) async throws -> Labels {
        if let labels = kept.withLock(\.self) { return labels }
        let channels = rooms.compactMap(\.channel)
        let seen = channels.isEmpty ? [] : try await access.workspaces.access(of: user, channels: channels).channels
        let dms = rooms.compactMap(\.dm)
        return Labels(of: user, seen.filter(\.isMember), dms.isEmpty ? [] : try await access.dms(dms, of: user))
    }

    /// Frees the labels.
    func drop() { kept.withLock { $0 = nil } }
}

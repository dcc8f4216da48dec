import Wire

/// The users and their rooms: users from 1 on are dealt to channels from 1 on, one after the other.
struct RoomLayout: Sendable {
    var rooms = 1
    var users: Int

    static let workspace = WorkspaceID(1)

    /// The channel of a user.
    func channel(of user: Int) -> ChannelID { ChannelID(Int64((user - 1) % rooms + 1)) }

    /// The ids of a channel's users.
    func users(of channel: ChannelID) -> StrideTo<Int> {
        stride(from: Int(channel.rawValue), to: users + 1, by: rooms)
    }

    static func name(of channel: ChannelID) -> String { "room-\(channel)" }

    static func namespace(of channel: ChannelID) -> String { "/ws-channel-\(channel)" }
}

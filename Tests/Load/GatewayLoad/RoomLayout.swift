import Wire

/// The users and their rooms: users from 1 on are dealt to teams, one after the other, and a team has some channels.
struct RoomLayout: Sendable {
    var rooms = 1
    var users: Int
    /// The channels of each team; they follow each other.
    var roomsOfUser = 1

    static let workspace = WorkspaceID(1)

    private var teams: Int { rooms / roomsOfUser }

    /// The channels of a user.
    func channels(of user: Int) -> [ChannelID] {
        let first = (user - 1) % teams * roomsOfUser + 1
        return (first..<first + roomsOfUser).map { ChannelID(Int64($0)) }
    }

    /// The first channel of a user.
    func channel(of user: Int) -> ChannelID { channels(of: user)[0] }

    /// The ids of a channel's users.
    func users(of channel: ChannelID) -> StrideTo<Int> {
        stride(from: Int(channel.rawValue - 1) / roomsOfUser + 1, to: users + 1, by: teams)
    }

    static func name(of channel: ChannelID) -> String { "room-\(channel)" }

    static func namespace(of channel: ChannelID) -> String { "/ws-channel-\(channel)" }
}

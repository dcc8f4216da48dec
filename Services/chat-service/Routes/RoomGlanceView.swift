import Contract
import Wire

/// A room of a home screen.
struct RoomGlanceView: View {
    let glance: RoomGlance
    /// A channel's.
    let name: String?
    /// Of a DM.
    let opponent: MemberView?
    let last: MessageBody?

    func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in
            if let channel = glance.room.channel {
                json.field("channel_id", channel, for: profile)
                json.field("name", name)
                if let last {
                    json.field(
                        "lastMessage", ChatView(channel: channel, channelName: name ?? "", message: last), for: profile)
                }
            } else if let dm = glance.room.dm {
                json.field("room_id", dm, for: profile)
                if let opponent { json.field("user", opponent, for: profile) }
                if let last { json.field("lastMessage", DMView(room: dm, message: last), for: profile) }
            }
            json.field("lastSeq", glance.head)
            json.field("readSeq", glance.position)
            json.field("unreadCount", glance.unread)
        }
    }
}

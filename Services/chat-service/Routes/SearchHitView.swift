import Contract
import Wire

/// Writes a message that a search has found.
struct SearchHitView: View {
    let hit: MessageSearch.Hit

    func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in
            json.field("room", hit.room.description)
            if let channel = hit.room.channel {
                json.field(
                    "message", ChatView(channel: channel, channelName: hit.roomName ?? "", message: hit.message),
                    for: profile)
            } else if let dm = hit.room.dm {
                json.field("message", DMView(room: dm, message: hit.message), for: profile)
            }
            json.array("highlights") { json in
                for range in hit.highlights {
                    json.array { json in
                        json.value(range.lowerBound)
                        json.value(range.count)
                    }
                }
            }
        }
    }
}

import Contract
import Wire

/// Writes a message that a search has found.
struct SearchHitView: View {
    let hit: MessageSearch.Hit

    func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in
            json.field("room", hit.room.description)
            json.field(
                "message", RoomMessageView(room: hit.room, name: hit.roomName, message: hit.message), for: profile)
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

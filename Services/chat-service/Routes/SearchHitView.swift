import Contract
import Wire

/// Writes a message that a search has found.
struct SearchHitView: View {
    let hit: MessageSearch.Hit

    func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in
            json.roomMessage(hit.message, in: hit.room, hit.roomName, for: profile)
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

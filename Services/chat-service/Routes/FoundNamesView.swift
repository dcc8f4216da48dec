import Contract
import Wire

/// Writes the people, channels and DMs that a quick switcher shows.
struct FoundNamesView: View {
    let found: QuickFind.Found

    func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in
            json.field("users", found.users, for: profile)
            json.array("channels") { json in
                for channel in found.channels {
                    json.object { json in
                        json.field("channel_id", channel.id, for: profile)
                        json.field("name", channel.name)
                        json.field("isMember", channel.isMember)
                    }
                }
            }
            json.array("dms") { json in
                for dm in found.dms {
                    json.object { json in
                        json.field("room_id", dm.room, for: profile)
                        json.field("user", dm.opponent, for: profile)
                    }
                }
            }
        }
    }
}

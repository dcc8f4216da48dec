public import Wire

/// A direct message. History, the reply to a send and the socket have the same form.
public struct DMView: View {
    public let room: DMID
    public let message: MessageBody

    public init(room: DMID, message: MessageBody) {
        self.room = room
        self.message = message
    }

    public func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in
            json.field("dm_id", message.id, for: profile)
            json.field("room_id", room, for: profile)
            message.writeMembers(to: &json, for: profile)
        }
    }
}

extension DMView {
    /// The form of `write` in the reference.
    public static let entity = Schema.Entity(
        "Dm", "A message of a DM.", [.has("dm_id", .id), .has("room_id", .id)] + MessageBody.schema)
}

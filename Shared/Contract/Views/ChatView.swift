public import Wire

/// A message of a channel. History, the reply to a send and the socket have the same form.
public struct ChatView: View {
    public let channel: ChannelID
    public let channelName: String
    public let message: MessageBody

    public init(channel: ChannelID, channelName: String, message: MessageBody) {
        self.channel = channel
        self.channelName = channelName
        self.message = message
    }

    public func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in
            json.field("channel_id", channel, for: profile)
            json.field("channelName", channelName)
            json.field("chat_id", message.id, for: profile)
            message.writeMembers(to: &json, for: profile)
        }
    }
}

extension ChatView {
    /// The form of `write` in the reference.
    public static let entity = Schema.Entity(
        "Chat", "A message of a channel.",
        [.has("channel_id", .id), .has("channelName", .text), .has("chat_id", .id)] + MessageBody.schema)
}

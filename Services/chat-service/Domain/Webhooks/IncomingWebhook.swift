import Contract
import Wire

typealias IncomingWebhookID = ID<IncomingWebhook>

/// An address through which programs write to a channel. The holder of its secret needs no account.
struct IncomingWebhook: Sendable {
    let id: IncomingWebhookID
    let workspace: WorkspaceID
    let channel: ChannelID
    let channelName: String
    /// The nickname of the author of its messages.
    let name: String
    /// The account of its messages.
    let bot: UserID
    let createdBy: UserID
    let createdAt: Timestamp
    /// When it was given a new secret; nil if it has the first one.
    let rotatedAt: Timestamp?

    var target: MessageTarget { MessageTarget(room: RoomID(channel), workspace: workspace, name: channelName) }
}

extension SessionID {
    /// The session of messages that no session has sent. No session has this id, so no socket takes such a message for its
    /// own.
    static let ofWebhooks = SessionID(.max)
}

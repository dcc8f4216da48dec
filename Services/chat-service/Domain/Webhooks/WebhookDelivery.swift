import Contract
import Wire

typealias WebhookDeliveryID = ID<WebhookDelivery>

/// One event on its way to one subscription, or at its end.
struct WebhookDelivery: Sendable {
    let id: WebhookDeliveryID
    /// Nil for events of members and channels.
    let channel: ChannelID?
    let event: WebhookEvent
    /// The message.
    let seq: Int64?
    /// Further values as JSON.
    let detail: String?
    let createdAt: Timestamp
    let state: State
    let attempts: Int
    /// When it was tried for the first time, and the last one.
    let tried: (first: Timestamp?, last: Timestamp?)
    /// The status of the last reply, and the error of the last attempt.
    let outcome: (status: Int?, error: String?)

    /// The raw value is stored.
    enum State: Int16, Sendable {
        case waiting, delivered, failed

        var text: String {
            switch self {
            case .waiting: "waiting"
            case .delivered: "delivered"
            case .failed: "failed"
            }
        }
    }

    /// The error of an event that a change of the subscription has left out.
    static let leftOutError = "The webhook is not subscribed to this event any more."

    /// The header `webhook-id`, the same for all attempts.
    var name: String { "evt_\(id)" }

    /// The room and the seq of the message, if it is about one.
    var message: (room: RoomID, seq: Int64)? {
        guard let channel, let seq else { return nil }
        return (RoomID(channel), seq)
    }
}

/// A queue of one subscription that an instance has leased.
struct WebhookLease: Sendable {
    let subscription: WebhookSubscription
    /// The channel; 0 for the events of members and channels, and `notice`.
    let room: Int64
    /// Failed attempts of its first event.
    var attempts: Int
    /// The end of the lease, which proves it.
    var until: Timestamp
    /// The additions to the queue that are known.
    var additions: Int64
    /// Whether the last attempt for the subscription has failed.
    var isFailing: Bool

    /// The room of the queue that has no events: it is due when people are to be told that the subscription was switched off.
    static let notice: Int64 = -1

    /// When the subscription was switched off, for the queue of notices; nil for the others. Its additions are that moment.
    var turnedOffAt: Timestamp? { room == Self.notice ? Timestamp(milliseconds: additions) : nil }
}

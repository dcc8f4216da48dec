import Contract
import Wire

typealias WebhookSubscriptionID = ID<WebhookSubscription>

/// The kinds of events of which a subscription is told. The raw values are stored and sent.
enum WebhookEvent: String, Sendable, CaseIterable {
    case message, mention, changed, reaction, member, channel
}

/// An outgoing webhook: events in a workspace are sent to a URL.
struct WebhookSubscription: Sendable {
    let id: WebhookSubscriptionID
    let workspace: WorkspaceID
    let url: String
    let events: [WebhookEvent]
    /// Only events of these channels; empty for all.
    let channels: [ChannelID]
    let seeds: WebhookSeeds
    let createdBy: UserID
    let createdAt: Timestamp
    let state: State

    enum State: Sendable, Equatable {
        case on
        /// By a manager, or by itself for a reason.
        case off(reason: String?, at: Timestamp?)
    }

    var isOn: Bool { state == .on }
}

/// The seeds of a subscription's secrets.
struct WebhookSeeds: Sendable {
    let current: [UInt8]
    /// The one before a rotation, which also signs for a while.
    let old: (bytes: [UInt8], until: Timestamp)?
}

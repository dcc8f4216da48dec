import HTTP

/// The limits of outgoing webhooks.
struct WebhookLimits: Sendable {
    /// Subscriptions of one workspace.
    let ofWorkspace: Int
    /// The time-out of a call to a receiver.
    let timeout: Duration
    /// How long an event is tried again, and how long a subscription fails before it is switched off.
    let patience: (ofEvent: Duration, ofSubscription: Duration)
    /// How long events are kept.
    let memory: Duration
    /// How long the old secret signs after a rotation.
    let overlap: Duration
    /// The addresses that may be called.
    let addresses: PeerRule
}

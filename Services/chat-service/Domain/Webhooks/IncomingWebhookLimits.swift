/// The limits of incoming webhooks.
struct IncomingWebhookLimits: Sendable {
    /// Webhooks of one channel.
    let ofChannel: Int
    /// Messages of one webhook a second, and at once.
    let messages: (rate: Double, burst: Double)
}

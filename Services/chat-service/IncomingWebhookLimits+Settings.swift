import ServiceKit

/// The settings of incoming webhooks.
extension IncomingWebhookLimits {
    private static let channelWebhooksKey = ConfigKey(
        "channel_webhooks", default: 10, atLeast: 1, atMost: 200,
        "The largest number of incoming webhooks of a channel.")
    private static let rateKey = ConfigKey(
        "webhook_rate", default: 1, atLeast: 1,
        "Messages of one incoming webhook in a second. Each instance of the service counts those that it receives.")
    private static let burstKey = ConfigKey(
        "webhook_burst", default: 30, atLeast: 1, "Messages of one incoming webhook at once.")

    static let settings = [channelWebhooksKey.entry, rateKey.entry, burstKey.entry]

    init(_ config: Config) {
        self.init(
            ofChannel: config[Self.channelWebhooksKey],
            messages: (Double(config[Self.rateKey]), Double(config[Self.burstKey])))
    }
}

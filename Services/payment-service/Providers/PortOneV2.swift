import ServiceKit
import Wire

/// PortOne V2: one secret for all calls, payments by the merchant's own payment id, signed webhooks.
struct PortOneV2: PaymentProvider {
    static let name = "portone-v2"
    static let url = ConfigKey("portone_v2_url", default: "https://api.portone.io", "Base URL of PortOne V2.")
    static let secret = ConfigKey(
        "portone_v2_secret", default: Secret.none, "API secret of PortOne V2; empty switches it off.")
    static let store = ConfigKey(
        "portone_v2_store", default: "", "Our store id at PortOne V2; empty accepts every store.")
    static let webhookSecret = ConfigKey(
        "portone_v2_webhook_secret", default: Secret.none,
        "The secret of PortOne V2's webhook signatures, Base64 with or without whsec_; empty refuses all webhooks.")
    static let acceptsTests = ConfigKey(
        "portone_v2_accepts_tests", default: false,
        "Whether payments through test channels of PortOne V2, which move no money, are credited; only for trials.")
    static let settings = [url.entry, secret.entry, store.entry, webhookSecret.entry, acceptsTests.entry]

    private let base: String
    private let authorization: String
    private let store: String
    private let acceptsTests: Bool
    private let webhooks: StandardWebhooks?

    init?(_ config: Config) throws(ConfigError) {
        let (secret, webhookSecret) = (config[Self.secret].revealed, config[Self.webhookSecret].revealed)
        guard !secret.isEmpty else { return nil }
        base = config[Self.url]
        authorization = "PortOne \(secret)"
        store = config[Self.store]
        acceptsTests = config[Self.acceptsTests]
        webhooks = StandardWebhooks(secret: webhookSecret)
        if webhooks == nil, !webhookSecret.isEmpty { throw ConfigError("portone_v2_webhook_secret must be Base64") }
    }

    /// The merchant chooses payment ids, so any text may be one.
    static func recognises(_ reference: String) -> Bool { false }

    func inquiry(about reference: String) -> any ProviderConversation { lookup(of: reference) }

    func refund(of reference: String, because reason: String) -> any ProviderConversation {
        PortOneV2Refund(inquiry: lookup(of: reference), reason: reason)
    }

    private func lookup(of reference: String) -> PortOneV2Inquiry {
        PortOneV2Inquiry(
            reference: reference, store: store, acceptsTests: acceptsTests, base: base, authorization: authorization)
    }

    func notice(in webhook: Webhook) throws(Webhook.Refusal) -> WebhookNotice {
        guard let webhooks else { throw .wrongSignature }
        let id = try webhooks.verifiedID(of: webhook)
        guard let json = try? JSONValue(parsing: webhook.body), let type = json["type"]?.string else {
            throw .malformed
        }
        guard Self.paymentTypes.contains(type) else { return WebhookNotice(id: id, reference: nil) }
        guard let reference = json["data"]?["paymentId"]?.string else { throw .malformed }
        return WebhookNotice(id: id, reference: reference)
    }

    private static let paymentTypes: Set<String> = [
        "Transaction.Ready", "Transaction.Paid", "Transaction.VirtualAccountIssued", "Transaction.PartialCancelled",
        "Transaction.Cancelled", "Transaction.Failed", "Transaction.PayPending", "Transaction.CancelPending",
        "Transaction.Confirm", "Transaction.DisputeCreated", "Transaction.DisputeResolved",
    ]
}

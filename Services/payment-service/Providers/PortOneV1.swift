import ServiceKit
import Synchronization
import Wire

/// PortOne V1, formerly iamport: a token from key and secret, payments by `imp_uid`, unsigned webhooks.
final class PortOneV1: PaymentProvider {
    static let name = "portone-v1"
    static let url = ConfigKey("portone_v1_url", default: "https://api.iamport.kr", "Base URL of PortOne V1.")
    static let key = ConfigKey("portone_v1_key", default: "", "REST API key of PortOne V1; empty switches it off.")
    static let secret = ConfigKey(
        "portone_v1_secret", default: Secret.none, "REST API secret of PortOne V1.")
    static let settings = [url.entry, key.entry, secret.entry]

    let base: String
    private let credentials: [UInt8]
    /// Shared by all lookups on all loops.
    private let token = Mutex<PortOneV1Token?>(nil)

    init?(_ config: Config) throws(ConfigError) {
        let (key, secret) = (config[Self.key], config[Self.secret].revealed)
        guard !key.isEmpty else { return nil }
        guard !secret.isEmpty else { throw ConfigError("portone_v1_secret is required beside portone_v1_key") }
        base = config[Self.url]
        credentials = JSONWriter.bytes { json in
            json.object { json in
                json.field("imp_key", key)
                json.field("imp_secret", secret)
            }
        }
    }

    /// Anybody can send any text as a reference. PortOne answers some texts with errors, and would be asked about them for days.
    static func recognises(_ reference: String) -> Bool {
        (reference.hasPrefix("imp_") || reference.hasPrefix("imps_"))
            && reference.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    func inquiry(about reference: String) -> any ProviderConversation {
        PortOneV1Inquiry(reference: reference, provider: self)
    }

    func refund(of reference: String, because reason: String) -> any ProviderConversation {
        PortOneV1Inquiry(reference: reference, provider: self, refundReason: reason)
    }

    /// The body is JSON, or a form if the merchant's console says so.
    func notice(in webhook: Webhook) throws(Webhook.Refusal) -> WebhookNotice {
        let isForm = webhook.headers["content-type"]?.lowercased().hasPrefix("application/x-www-form-urlencoded")
        let reference =
            isForm == true
            ? QueryParameters(webhook.body.span)?["imp_uid"]
            : (try? JSONValue(parsing: webhook.body))?["imp_uid"]?.string
        guard let reference, Self.recognises(reference) else { throw .malformed }
        return WebhookNotice(id: nil, reference: reference)
    }

    /// The request for a token.
    var tokenRequest: ProviderRequest { ProviderRequest(body: credentials, url: base + "/users/getToken") }

    /// The cached token, if it is still valid at `now`.
    func token(at now: ContinuousClock.Instant) -> String? {
        token.withLock { $0.flatMap { $0.isValid(at: now) ? $0.text : nil } }
    }

    func store(_ new: PortOneV1Token) { token.withLock { $0 = new } }

    /// Drops a refused token, unless another has replaced it.
    func drop(_ refused: String) { token.withLock { if $0?.text == refused { $0 = nil } } }
}

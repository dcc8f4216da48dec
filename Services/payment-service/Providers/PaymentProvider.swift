import ServiceKit
import Telemetry
import Wire

/// A payment provider. Each has a type and file of its own, with its own settings.
///
/// Providers do no I/O; `ProviderClient` carries their requests.
protocol PaymentProvider: Sendable {
    /// The permanent name in records and metrics.
    static var name: String { get }
    /// Its settings. The provider is off while a required setting is empty.
    static var settings: [ConfigEntry] { get }
    /// Nil if the provider is not set up.
    ///
    /// - Throws: `ConfigError` for an invalid setting.
    init?(_ config: Config) throws(ConfigError)
    /// Whether the reference can only be this provider's. If no provider recognises it, all are asked.
    static func recognises(_ reference: String) -> Bool
    /// Begins the lookup of a payment.
    func inquiry(about reference: String) -> any ProviderConversation
    /// Begins the refund of all that is left of a payment. It ends with the payment as it is afterwards, or with a fault if the
    /// provider refuses: then a lookup tells whether it was refunded before.
    func refund(of reference: String, because reason: String) -> any ProviderConversation
    /// Reads a webhook posted to `/v1/webhooks/<name, with / for ->`.
    func notice(in webhook: Webhook) throws(Webhook.Refusal) -> WebhookNotice
}

extension PaymentProvider {
    /// The path of its webhooks.
    static var webhookPath: String { "/v1/webhooks/" + name.split(separator: "-").joined(separator: "/") }
}

/// A lookup at a provider, which may take several requests.
protocol ProviderConversation: Sendable {
    /// The first step.
    mutating func begin(at now: ContinuousClock.Instant) -> ProviderStep
    /// The step after the reply to a request.
    mutating func receive(_ reply: ProviderReply, at now: ContinuousClock.Instant) -> ProviderStep
}

/// The next step of a lookup.
enum ProviderStep: Sendable, Equatable {
    case ask(ProviderRequest)
    case finish(ProviderAnswer)
}

/// A provider's answer.
enum ProviderAnswer: Sendable, Equatable {
    case payment(PaymentReport)
    /// The provider does not know the payment.
    case unknown
    /// No usable answer: the provider is down, refuses us or answers in an unknown format.
    case unusable(ProviderFault)
}

/// Why a provider gave no usable answer, without personal data.
struct ProviderFault: LoggableError, Equatable, CustomStringConvertible {
    let description: String
    /// Whether the provider has refused a refund, so that it makes none later either.
    let isRefusal: Bool

    var logText: String { description }

    init(_ description: String, isRefusal: Bool = false) {
        self.description = description
        self.isRefusal = isRefusal
    }
}

/// An HTTP request to a provider.
struct ProviderRequest: Sendable, Equatable {
    /// The JSON body of a POST; nil for a GET.
    var body: [UInt8]?
    let url: String
    /// The value of `Authorization`.
    var authorization: String?
}

/// A provider's HTTP reply.
struct ProviderReply: Sendable, Equatable {
    let status: Int
    let body: [UInt8]
}

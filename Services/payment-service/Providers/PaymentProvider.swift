import ServiceKit
import Telemetry
import Wire

/// A company that takes money for us. One type and file each; what it needs stands in settings of its own.
///
/// Everything here is free of I/O: `ProviderClient` carries the requests.
protocol PaymentProvider: Sendable {
    /// Stands in records and metrics; never changes.
    static var name: String { get }
    /// All settings; without those that it cannot do without, it is switched off.
    static var settings: [ConfigEntry] { get }
    /// Nil where it is not set up.
    ///
    /// - Throws: `ConfigError` where a setting makes no sense.
    init?(_ config: Config) throws(ConfigError)
    /// Whether a payment's reference can only be one of this provider's. Where nobody says so, all are asked.
    static func recognises(_ reference: String) -> Bool
    /// Asks what it knows of a payment.
    func inquiry(about reference: String) -> any ProviderConversation
    /// Reads a webhook that came to `/v1/webhooks/<name, with / for ->`.
    func notice(in webhook: Webhook) throws(Webhook.Refusal) -> WebhookNotice
}

extension PaymentProvider {
    /// Where its webhooks come to.
    static var webhookPath: String { "/v1/webhooks/" + name.split(separator: "-").joined(separator: "/") }
}

/// One question to a provider, and as many requests as it takes.
protocol ProviderConversation: Sendable {
    /// The first step.
    mutating func begin(at now: ContinuousClock.Instant) -> ProviderStep
    /// The step after the reply to a request.
    mutating func receive(_ reply: ProviderReply, at now: ContinuousClock.Instant) -> ProviderStep
}

/// What a conversation wants next.
enum ProviderStep: Sendable, Equatable {
    case ask(ProviderRequest)
    case finish(ProviderAnswer)
}

/// What a provider has said.
enum ProviderAnswer: Sendable, Equatable {
    case payment(PaymentReport)
    /// It knows no such payment.
    case unknown
    /// Nothing that we can use: it is down, refuses us or speaks in riddles.
    case unusable(ProviderFault)
}

/// Why a provider cannot be used, in words that name no data.
struct ProviderFault: LoggableError, Equatable, CustomStringConvertible {
    let description: String

    var logText: String { description }

    init(_ description: String) { self.description = description }
}

/// An HTTP request to a provider.
struct ProviderRequest: Sendable, Equatable {
    /// Whether it is a POST with this JSON body, or a GET.
    var body: [UInt8]?
    let url: String
    /// The value of `Authorization`.
    var authorization: String?
}

/// What came back.
struct ProviderReply: Sendable, Equatable {
    let status: Int
    let body: [UInt8]
}

import Wire

/// A received webhook.
struct Webhook: Sendable {
    /// Why a webhook is refused.
    enum Refusal: Error, Equatable {
        /// A signature header is missing.
        case unsigned
        /// The signature is too old.
        case tooOld
        /// The signature's time is in the future.
        case tooNew
        /// The signature is not ours, or not over this body.
        case wrongSignature
        /// The body is malformed.
        case malformed
    }

    /// By lower-case name.
    let headers: [String: String]
    let body: [UInt8]
    let receivedAt: Timestamp
}

/// The content of a webhook: at most a payment to look up.
struct WebhookNotice: Sendable, Equatable {
    /// The same for all deliveries of one notice; nil if the provider sends none.
    let id: String?
    /// The payment to look up; nil if the webhook is not about a payment.
    let reference: String?
}

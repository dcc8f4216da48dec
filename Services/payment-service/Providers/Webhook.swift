import Wire

/// A webhook as it arrived.
struct Webhook: Sendable {
    /// Why a webhook is not believed or not understood.
    enum Refusal: Error, Equatable {
        /// A header of the signature is missing.
        case unsigned
        /// Signed too long ago.
        case tooOld
        /// Signed in the future.
        case tooNew
        /// Not signed with our secret, or not over this body.
        case wrongSignature
        /// It does not hold what it should.
        case malformed
    }

    /// By lower-case name.
    let headers: [String: String]
    let body: [UInt8]
    let receivedAt: Timestamp
}

/// What a webhook tells us: at most that there is something to ask.
struct WebhookNotice: Sendable, Equatable {
    /// The same for all deliveries of one notice; nil where the provider gives none.
    let id: String?
    /// Which payment to ask about; nil where it is about something else.
    let reference: String?
}

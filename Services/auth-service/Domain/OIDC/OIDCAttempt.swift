import Crypto
import Wire

/// One sign-in with an issuer, from its begin to the reply: everything that the reply is checked against.
///
/// The app keeps the ticket, and the issuer sees state, nonce and challenge. A reply that was caught on its way is useless
/// without the ticket, and a code without the verifier.
struct OIDCAttempt: Sendable {
    let ticket: BearerSecret
    /// Comes back in the address of the reply.
    let state: String
    /// Comes back in the identity token.
    let nonce: String
    /// The seed of the code verifier.
    let seed: [UInt8]
    let redirect: String

    init(redirect: String) {
        ticket = BearerSecret()
        state = Self.random()
        nonce = Self.random()
        seed = SecureRandom.bytes(32)
        self.redirect = redirect
    }

    /// The code challenge of RFC 7636.
    var challenge: String { Base64.encode(SHA256.digest(of: Self.verifier(of: seed).utf8.span).span, .url) }

    /// The code verifier: 43 characters.
    static func verifier(of seed: [UInt8]) -> String { Base64.encode(seed.span, .url) }

    static func hash(_ text: String) -> [UInt8] { SHA256.digest(of: text.utf8.span) }

    private static func random() -> String { Base64.encode(SecureRandom.bytes(32).span, .url) }
}

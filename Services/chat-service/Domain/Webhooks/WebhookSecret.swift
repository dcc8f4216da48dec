import Crypto
import Wire

/// The secret in the address of an incoming webhook: 256 random bits, of which the server stores only the digest.
struct WebhookSecret: Sendable {
    /// The text in the address.
    let text: String
    /// The digest that the server stores.
    let hash: [UInt8]

    private static let length = 32

    /// Makes a new secret.
    init() {
        let bytes = SecureRandom.bytes(Self.length)
        text = Base64.encode(bytes.span, .url)
        hash = SHA256.digest(of: bytes.span)
    }

    /// Reads the secret of an address; nil if it cannot be one of ours.
    init?(_ text: String) {
        guard let bytes = Base64.decode(text.utf8.span, .url), bytes.count == Self.length else { return nil }
        self.text = text
        hash = SHA256.digest(of: bytes.span)
    }
}

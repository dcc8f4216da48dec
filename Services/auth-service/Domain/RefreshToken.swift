import Crypto
import Wire

/// What renews access: 256 random bits, of which the server keeps only the digest.
struct RefreshToken: Sendable {
    /// What the client keeps.
    let text: String
    /// What the server keeps.
    let hash: [UInt8]

    private static let length = 32

    /// A new one.
    init() {
        let bytes = SecureRandom.bytes(Self.length)
        text = Base64.encode(bytes.span, .url)
        hash = SHA256.digest(of: bytes.span)
    }

    /// One that a client shows; nil where it cannot be one of ours.
    init?(_ text: String) {
        guard let bytes = Base64.decode(text.utf8.span, .url), bytes.count == Self.length else { return nil }
        self.text = text
        hash = SHA256.digest(of: bytes.span)
    }
}

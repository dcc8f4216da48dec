internal import Wire

/// A secret of 256 random bits that its holder shows to get access. The server stores only its digest.
public struct BearerSecret: Sendable {
    /// The text that the holder keeps.
    public let text: String
    /// The digest that the server stores.
    public let hash: [UInt8]

    private static let length = 32

    /// Makes a new secret.
    public init() {
        let bytes = SecureRandom.bytes(Self.length)
        text = Base64.encode(bytes.span, .url)
        hash = SHA256.digest(of: bytes.span)
    }

    /// Reads a secret that somebody shows; nil if it cannot be one of ours.
    public init?(_ text: String) {
        guard let bytes = Base64.decode(text.utf8.span, .url), bytes.count == Self.length else { return nil }
        self.text = text
        hash = SHA256.digest(of: bytes.span)
    }
}

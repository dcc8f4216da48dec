internal import Wire

/// The keys that show both sides that the other speaks WebSocket (RFC 6455 §4.2.2).
enum AcceptKey {
    private static let identifier = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// What a server answers to a client's key.
    static func answer(to key: String) -> String {
        Base64.encode(SHA1.digest(Array((key + identifier).utf8)).span, .standard)
    }

    /// Whether a client's key is 16 bytes in Base64.
    static func isValid(_ key: String) -> Bool {
        Base64.decode(key.utf8.span, .standard)?.count == 16
    }
}

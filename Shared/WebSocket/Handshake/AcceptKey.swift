internal import CCrypto
internal import Wire

/// The keys by which both sides prove that they speak WebSocket (RFC 6455 §4.2.2).
enum AcceptKey {
    private static let identifier = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// The server's answer to a client's key.
    static func answer(to key: String) -> String {
        Base64.encode(sha1(Array((key + identifier).utf8)).span, .standard)
    }

    private static func sha1(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 20) { digest, count in
            let status = EVP_Digest(bytes, bytes.count, digest.baseAddress, nil, EVP_sha1(), nil)
            precondition(status == 1, "libcrypto cannot compute SHA-1")
            count = 20
        }
    }

    /// Whether a client's key is 16 bytes in Base64.
    static func isValid(_ key: String) -> Bool {
        Base64.decode(key.utf8.span, .standard)?.count == 16
    }
}

internal import CCrypto

/// Authenticates messages with a secret key: HMAC-SHA256 of RFC 2104.
public struct HMACSHA256: Sendable {
    private let contexts: ReusedContexts

    /// Takes a key of any length; 32 random bytes are enough for full strength.
    public init(key: Span<UInt8>) {
        // A null pointer would mean "keep the key", so an empty key needs an address as well.
        let key = key.isEmpty ? [0] : key.withUnsafeBufferPointer(Array.init)
        let length = key.count
        contexts = ReusedContexts(
            make: { ccrypto_hmac_sha256_context(key, length) },
            free: { EVP_MAC_CTX_free($0) }
        )
    }

    /// The code of `message`: 32 bytes that only a holder of the key can compute.
    public func code(for message: Span<UInt8>) -> [UInt8] {
        contexts.use { context in
            [UInt8](unsafeUninitializedCapacity: SHA256.length) { buffer, written in
                EVP_MAC_init(context, nil, 0, nil)
                message.withUnsafeBufferPointer { _ = EVP_MAC_update(context, $0.baseAddress, $0.count) }
                precondition(EVP_MAC_final(context, buffer.baseAddress, &written, buffer.count) == 1)
            }
        }
    }

    /// Whether `code` is the code of `message`, compared in constant time.
    public func isValid(_ code: Span<UInt8>, for message: Span<UInt8>) -> Bool {
        ConstantTime.areEqual(self.code(for: message).span, code)
    }
}

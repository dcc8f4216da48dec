internal import CCrypto

/// An OpenSSL key of one of the supported kinds, freed with its last reference.
///
/// - Note: `@unchecked Sendable` because a key is not changed after it is made, and OpenSSL locks the values that it
///   caches in it.
final class OpenSSLKey: @unchecked Sendable {
    let raw: OpaquePointer
    let algorithm: SignatureAlgorithm

    private static let modulusBits: ClosedRange<Int32> = 2048...8192
    /// The number of bytes in the largest modulus.
    static let longestNumber = 8192 / 8

    /// Takes ownership of the key; OpenSSL returns nil for a malformed one.
    init(owning raw: OpaquePointer?) throws(KeyError) {
        guard let raw else {
            ERR_clear_error()
            throw .malformed
        }
        let isP256 = ccrypto_key_is_p256(raw) != 0
        guard isP256 || ccrypto_key_is_rsa(raw) != 0 else {
            EVP_PKEY_free(raw)
            throw .unsupported
        }
        guard isP256 || Self.modulusBits.contains(EVP_PKEY_get_bits(raw)) else {
            EVP_PKEY_free(raw)
            throw .unacceptableSize
        }
        self.raw = raw
        algorithm = isP256 ? .es256 : .rs256
    }

    deinit { EVP_PKEY_free(raw) }

    /// One of the key's numbers, big-endian; without leading zeros unless padded to a length.
    func number(_ name: String, paddedTo padding: Int = 0) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.longestNumber) { buffer, written in
            let length = ccrypto_key_number(raw, name, Int32(padding), buffer.baseAddress, Int32(buffer.count))
            precondition(length > 0, "the key has no number \(name)")
            written = Int(length)
        }
    }

    /// Contexts that sign or verify SHA-256 digests with this key.
    func contexts(signing: Bool) -> ReusedContexts {
        ReusedContexts(
            make: { [self] in ccrypto_signature_context(raw, signing ? 1 : 0) },
            free: { EVP_PKEY_CTX_free($0) }
        )
    }
}

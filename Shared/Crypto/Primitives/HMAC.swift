internal import CCrypto

/// HMAC (RFC 2104) with the hash that another protocol requires. Maru's own codes use `HMACSHA256`.
public enum HMAC {
    /// The name by which OpenSSL knows the hash.
    public enum Hash: String, Sendable, CaseIterable {
        case sha1 = "SHA1"
        case sha256 = "SHA256"
        case sha512 = "SHA512"
    }

    /// The code of `message`.
    public static func code(for message: Span<UInt8>, key: Span<UInt8>, with hash: Hash) -> [UInt8] {
        let capacity = Int(EVP_MAX_MD_SIZE)
        return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, written in
            let output = message.withUnsafeBufferPointer { message in
                key.withUnsafeBufferPointer { key in
                    EVP_Q_mac(
                        nil, "HMAC", nil, hash.rawValue, nil, key.baseAddress, key.count, message.baseAddress,
                        message.count, buffer.baseAddress, capacity, &written)
                }
            }
            precondition(output != nil, "OpenSSL has no HMAC with \(hash.rawValue)")
        }
    }
}

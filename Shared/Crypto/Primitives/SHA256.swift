internal import CCrypto

/// A SHA-256 digest that is computed piece by piece, for input that does not fit in memory.
public struct SHA256: ~Copyable {
    /// The length of a digest in bytes.
    public static let length = 32

    // Fetched once: `EVP_sha256()` would look the implementation up for every digest.
    private nonisolated(unsafe) static let algorithm = EVP_MD_fetch(nil, "SHA256", nil)

    private let context: OpaquePointer

    /// Starts an empty digest.
    public init() {
        context = EVP_MD_CTX_new()
        let isReady = EVP_DigestInit_ex2(context, Self.algorithm, nil)
        precondition(isReady == 1, "OpenSSL has no SHA-256")
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Appends `bytes` to the input.
    public mutating func update(_ bytes: Span<UInt8>) {
        _ = bytes.withUnsafeBufferPointer { EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    }

    /// The digest of the whole input.
    public consuming func finalize() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.length) { buffer, written in
            EVP_DigestFinal_ex(context, buffer.baseAddress, nil)
            written = Self.length
        }
    }

    /// The digest of `bytes`.
    public static func digest(of bytes: Span<UInt8>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: length) { buffer, written in
            let done = bytes.withUnsafeBufferPointer {
                EVP_Digest($0.baseAddress, $0.count, buffer.baseAddress, nil, algorithm, nil)
            }
            precondition(done == 1, "OpenSSL has no SHA-256")
            written = length
        }
    }
}

internal import CCrypto

/// The public half of a signing key, which verifies signatures made with the other half.
public struct VerificationKey: Sendable {
    /// The `kid` in the header of its tokens.
    public let id: String

    let key: OpenSSLKey
    private let contexts: ReusedContexts

    init(_ key: OpenSSLKey, id: String?) {
        self.id = id ?? key.thumbprint
        self.key = key
        contexts = key.contexts(signing: false)
    }

    /// The only algorithm that the key verifies.
    public var algorithm: SignatureAlgorithm { key.algorithm }

    /// The RFC 7638 thumbprint: the same for the same key in every program.
    public var thumbprint: String { key.thumbprint }

    /// Whether `signature`, in JOSE's form, was made over `message` with the private half.
    public func isValid(_ signature: Span<UInt8>, for message: Span<UInt8>) -> Bool {
        guard let signature = algorithm.openSSLForm(of: signature) else { return false }
        let digest = SHA256.digest(of: message)
        let result = contexts.use { context in
            EVP_PKEY_verify(context, signature, signature.count, digest, digest.count)
        }
        // OpenSSL queues an error for a bad signature, which the next TLS call on this thread would take for its own.
        if result != 1 { ERR_clear_error() }
        return result == 1
    }
}

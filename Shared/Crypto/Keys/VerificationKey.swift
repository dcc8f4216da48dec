internal import CCrypto

/// The public half of a signing key: it tells whether a signature was made with the other half.
public struct VerificationKey: Sendable {
    /// The `kid` by which tokens name it.
    public let id: String

    let key: OpenSSLKey
    private let contexts: ReusedContexts

    init(_ key: OpenSSLKey, id: String?) {
        self.id = id ?? key.thumbprint
        self.key = key
        contexts = key.contexts(signing: false)
    }

    /// The only algorithm that it verifies.
    public var algorithm: SignatureAlgorithm { key.algorithm }

    /// The RFC 7638 thumbprint: the same for the same key, whoever computes it.
    public var thumbprint: String { key.thumbprint }

    /// Whether `signature`, in JOSE's form, was made over `message` with the other half.
    public func isValid(_ signature: Span<UInt8>, for message: Span<UInt8>) -> Bool {
        guard let signature = algorithm.openSSLForm(of: signature) else { return false }
        let digest = SHA256.digest(of: message)
        let result = contexts.use { context in
            EVP_PKEY_verify(context, signature, signature.count, digest, digest.count)
        }
        // What OpenSSL notes of a bad signature would be taken for a failure of the next TLS call on this thread.
        if result != 1 { ERR_clear_error() }
        return result == 1
    }
}

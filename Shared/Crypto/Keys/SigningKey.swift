internal import CCrypto
internal import Wire

/// A private key that signs.
public struct SigningKey: Sendable {
    /// The public half, which has the same `id`.
    public let verificationKey: VerificationKey

    let key: OpenSSLKey
    private let contexts: ReusedContexts

    init(_ key: OpenSSLKey, id: String?) {
        self.key = key
        verificationKey = VerificationKey(key, id: id)
        contexts = key.contexts(signing: true)
    }

    /// Makes a new P-256 key; its id is its thumbprint.
    public static func generate() -> SigningKey {
        guard let key = try? OpenSSLKey(owning: ccrypto_p256_generate()) else {
            preconditionFailure("OpenSSL could not make a P-256 key")
        }
        return SigningKey(key, id: nil)
    }

    /// Reads an unencrypted private key, PKCS#8 or an older form, P-256 or RSA.
    ///
    /// - Parameter id: the `kid` that its owner gave it; by default its thumbprint.
    public init(pem: String, id: String? = nil) throws(KeyError) {
        let pem = Array(pem.utf8)
        self.init(try OpenSSLKey(owning: ccrypto_private_key_from_pem(pem, pem.count)), id: id)
    }

    /// The `kid` in the header of its tokens.
    public var id: String { verificationKey.id }

    /// The only algorithm that the key signs with.
    public var algorithm: SignatureAlgorithm { key.algorithm }

    /// The key as unencrypted PKCS#8: a secret.
    public var pem: String {
        guard let memory = ccrypto_private_key_to_pem(key.raw) else { preconditionFailure("OpenSSL wrote no PEM") }
        defer { BIO_free(memory) }
        var start: UnsafePointer<UInt8>?
        let count = ccrypto_bio_bytes(memory, &start)
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// Signs `message`; returns the signature in JOSE's form.
    public func signature(for message: Span<UInt8>) -> [UInt8] {
        let digest = SHA256.digest(of: message)
        let signature = contexts.use { context in
            [UInt8](unsafeUninitializedCapacity: Int(EVP_PKEY_get_size(key.raw))) { buffer, written in
                written = buffer.count
                let done = EVP_PKEY_sign(context, buffer.baseAddress, &written, digest, digest.count)
                precondition(done == 1, "OpenSSL could not sign")
            }
        }
        return algorithm.joseForm(of: signature)
    }
}

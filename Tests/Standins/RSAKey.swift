import CCrypto
import Crypto

/// Makes keys as Apple's and Google's are.
enum RSAKey {
    /// A new RSA key of 2,048 bits.
    static func generate(id: String) -> SigningKey {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil) else { preconditionFailure("no RSA") }
        defer { EVP_PKEY_CTX_free(context) }
        var raw: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_generate(context, &raw) == 1, let raw,
            let memory = ccrypto_private_key_to_pem(raw)
        else { preconditionFailure("OpenSSL makes no RSA key") }
        defer {
            BIO_free(memory)
            EVP_PKEY_free(raw)
        }
        var start: UnsafePointer<UInt8>?
        let count = ccrypto_bio_bytes(memory, &start)
        let pem = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
        guard let key = try? SigningKey(pem: pem, id: id) else { preconditionFailure("OpenSSL's key is none") }
        return key
    }
}

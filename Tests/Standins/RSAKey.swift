import CCrypto
import Crypto

/// Makes RSA keys like Apple's and Google's.
enum RSAKey {
    /// Makes an RSA key of 2,048 bits.
    static func generate(id: String) -> SigningKey {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil) else {
            preconditionFailure("OpenSSL has no RSA")
        }
        defer { EVP_PKEY_CTX_free(context) }
        var raw: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_generate(context, &raw) == 1, let raw,
            let memory = ccrypto_private_key_to_pem(raw)
        else { preconditionFailure("OpenSSL cannot make an RSA key") }
        defer {
            BIO_free(memory)
            EVP_PKEY_free(raw)
        }
        var start: UnsafePointer<UInt8>?
        let count = ccrypto_bio_bytes(memory, &start)
        let pem = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
        guard let key = try? SigningKey(pem: pem, id: id) else { preconditionFailure("OpenSSL made an unreadable key") }
        return key
    }
}

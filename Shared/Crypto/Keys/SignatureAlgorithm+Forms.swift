internal import CCrypto

extension SignatureAlgorithm {
    /// The greatest length of a signature in ASN.1, in bytes.
    private static let longestP256Encoding = 72

    /// Converts a signature made by OpenSSL to JOSE's form, with a low s.
    func joseForm(of signature: [UInt8]) -> [UInt8] {
        guard self == .es256 else { return signature }
        var raw = [UInt8](unsafeUninitializedCapacity: P256Signature.length) { buffer, written in
            let done = ccrypto_p256_signature_from_der(signature, signature.count, buffer.baseAddress)
            precondition(done != 0, "OpenSSL cannot read its own signature")
            written = P256Signature.length
        }
        P256Signature.makeLowS(&raw)
        return raw
    }

    /// Converts a signature to the form that OpenSSL verifies; nil if its length is wrong.
    func openSSLForm(of signature: Span<UInt8>) -> [UInt8]? {
        guard self == .es256 else { return signature.withUnsafeBufferPointer(Array.init) }
        guard signature.count == P256Signature.length else { return nil }
        return [UInt8](unsafeUninitializedCapacity: Self.longestP256Encoding) { buffer, written in
            let length = signature.withUnsafeBufferPointer {
                ccrypto_p256_signature_to_der($0.baseAddress, buffer.baseAddress)
            }
            precondition(length > 0, "OpenSSL is out of memory")
            written = Int(length)
        }
    }
}

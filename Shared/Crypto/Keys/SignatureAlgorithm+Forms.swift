internal import CCrypto

extension SignatureAlgorithm {
    /// The length of a signature in the form r‖s, in bytes.
    private static let p256SignatureLength = 64
    /// The greatest length of a signature in ASN.1, in bytes.
    private static let longestP256Encoding = 72

    /// Converts a signature made by OpenSSL to JOSE's form.
    func joseForm(of signature: [UInt8]) -> [UInt8] {
        guard self == .es256 else { return signature }
        return [UInt8](unsafeUninitializedCapacity: Self.p256SignatureLength) { buffer, written in
            let done = ccrypto_p256_signature_from_der(signature, signature.count, buffer.baseAddress)
            precondition(done != 0, "OpenSSL cannot read its own signature")
            written = Self.p256SignatureLength
        }
    }

    /// Converts a signature to the form that OpenSSL verifies; nil if its length is wrong.
    func openSSLForm(of signature: Span<UInt8>) -> [UInt8]? {
        guard self == .es256 else { return signature.withUnsafeBufferPointer(Array.init) }
        guard signature.count == Self.p256SignatureLength else { return nil }
        return [UInt8](unsafeUninitializedCapacity: Self.longestP256Encoding) { buffer, written in
            let length = signature.withUnsafeBufferPointer {
                ccrypto_p256_signature_to_der($0.baseAddress, buffer.baseAddress)
            }
            precondition(length > 0, "OpenSSL is out of memory")
            written = Int(length)
        }
    }
}

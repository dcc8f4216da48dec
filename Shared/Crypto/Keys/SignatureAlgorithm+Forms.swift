internal import CCrypto

extension SignatureAlgorithm {
    /// Bytes in r‖s.
    private static let p256SignatureLength = 64
    /// Bytes in ASN.1 at most.
    private static let longestP256Encoding = 72

    /// JOSE's form of a signature made by OpenSSL.
    func joseForm(of signature: [UInt8]) -> [UInt8] {
        guard self == .es256 else { return signature }
        return [UInt8](unsafeUninitializedCapacity: Self.p256SignatureLength) { buffer, written in
            let done = ccrypto_p256_signature_from_der(signature, signature.count, buffer.baseAddress)
            precondition(done != 0, "OpenSSL cannot read a signature it made")
            written = Self.p256SignatureLength
        }
    }

    /// What OpenSSL verifies; `nil` where the length shows that it is no such signature.
    func openSSLForm(of signature: Span<UInt8>) -> [UInt8]? {
        guard self == .es256 else { return signature.withUnsafeBufferPointer(Array.init) }
        guard signature.count == Self.p256SignatureLength else { return nil }
        return [UInt8](unsafeUninitializedCapacity: Self.longestP256Encoding) { buffer, written in
            let length = signature.withUnsafeBufferPointer {
                ccrypto_p256_signature_to_der($0.baseAddress, buffer.baseAddress)
            }
            precondition(length > 0, "no memory")
            written = Int(length)
        }
    }
}

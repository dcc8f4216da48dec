internal import CCrypto
internal import Wire

extension OpenSSLKey {
    /// The length of coordinates and scalars of P-256 in a JWK.
    static let p256NumberLength = 32

    /// The RFC 7638 thumbprint.
    var thumbprint: String {
        let members = JSONWriter.bytes { json in json.object(writeRequiredMembers) }
        return Base64.encode(SHA256.digest(of: members.span).span, .url)
    }

    /// The members of the public key, in the order in which RFC 7638 digests them.
    func writeRequiredMembers(to json: inout JSONWriter) {
        switch algorithm {
        case .es256:
            json.field("crv", "P-256")
            json.field("kty", "EC")
            json.field("x", text(OSSL_PKEY_PARAM_EC_PUB_X, paddedTo: Self.p256NumberLength))
            json.field("y", text(OSSL_PKEY_PARAM_EC_PUB_Y, paddedTo: Self.p256NumberLength))
        case .rs256:
            json.field("e", text(OSSL_PKEY_PARAM_RSA_E))
            json.field("kty", "RSA")
            json.field("n", text(OSSL_PKEY_PARAM_RSA_N))
        }
    }

    /// One of the key's numbers in the form of a JWK.
    func text(_ number: String, paddedTo padding: Int = 0) -> String {
        Base64.encode(self.number(number, paddedTo: padding).span, .url)
    }
}

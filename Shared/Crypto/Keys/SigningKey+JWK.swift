internal import CCrypto
public import Wire

extension SigningKey {
    /// Reads a private P-256 key from its JWK, whose two halves must belong together.
    public init(privateJWK jwk: JSONValue) throws(KeyError) {
        self.init(try OpenSSLKey(jwk: jwk, isPrivate: true), id: jwk["kid"]?.string)
    }

    /// Writes the JWK of a P-256 key with its secret half.
    ///
    /// - Precondition: the key is no RSA key; those are kept as PEM.
    public func writePrivateJWK(to json: inout JSONWriter) {
        precondition(algorithm == .es256, "only P-256 keys are written as private JWK")
        json.object { json in
            key.writeRequiredMembers(to: &json)
            json.field("d", key.text(OSSL_PKEY_PARAM_PRIV_KEY, paddedTo: OpenSSLKey.p256NumberLength))
            json.field("kid", id)
            json.field("use", "sig")
            json.field("alg", algorithm.rawValue)
        }
    }
}

public import Wire

extension VerificationKey: JSONWritable {
    /// Reads a JWK of RFC 7517, P-256 or RSA. Without `kid`, its id is its thumbprint.
    public init(jwk: JSONValue) throws(KeyError) {
        self.init(try OpenSSLKey(jwk: jwk), id: jwk["kid"]?.string)
    }

    /// Writes the public JWK.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            key.writeRequiredMembers(to: &json)
            json.field("kid", id)
            json.field("use", "sig")
            json.field("alg", algorithm.rawValue)
        }
    }
}

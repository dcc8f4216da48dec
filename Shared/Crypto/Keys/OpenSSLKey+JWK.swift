internal import CCrypto
internal import Wire

extension OpenSSLKey {
    private static let uncompressedPoint: UInt8 = 4
    /// The longest accepted exponent of RSA: longer than the usual 65537, and short enough to stay cheap.
    private static let longestExponent = 8

    /// Reads the public half of a key from a JWK of RFC 7517: P-256 or RSA. A secret half in the JWK is ignored.
    convenience init(jwk: JSONValue) throws(KeyError) {
        switch (jwk["kty"]?.string, jwk["crv"]?.string) {
        case ("EC", "P-256"):
            let point =
                [Self.uncompressedPoint] + (try Self.p256Number("x", of: jwk)) + (try Self.p256Number("y", of: jwk))
            try self.init(owning: ccrypto_p256_public_key(point))
        case ("RSA", nil):
            let modulus = try Self.number("n", of: jwk)
            let exponent = try Self.number("e", of: jwk)
            // With an exponent of 1, also after leading zeros, anybody could forge signatures.
            guard exponent.count <= Self.longestExponent, exponent.last.map({ $0 & 1 == 1 }) == true,
                exponent.drop(while: { $0 == 0 }) != [1]
            else {
                throw KeyError.malformed
            }
            try self.init(owning: ccrypto_rsa_public_key(modulus, modulus.count, exponent, exponent.count))
        default:
            throw .unsupported
        }
        if let name = jwk["alg"], name.string != algorithm.rawValue { throw .unsupported }
        if let use = jwk["use"], use.string != "sig" { throw .unsupported }
    }

    private static func p256Number(_ name: StaticString, of jwk: JSONValue) throws(KeyError) -> [UInt8] {
        let number = try number(name, of: jwk)
        guard number.count == p256NumberLength else { throw .malformed }
        return number
    }

    private static func number(_ name: StaticString, of jwk: JSONValue) throws(KeyError) -> [UInt8] {
        guard let text = jwk[name]?.string, let number = Base64.decode(text.utf8.span, .url), !number.isEmpty,
            number.count <= longestNumber
        else { throw .malformed }
        return number
    }
}

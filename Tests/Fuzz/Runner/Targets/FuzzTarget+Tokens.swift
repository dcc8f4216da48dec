import Crypto
import Wire

extension FuzzTarget {
    private static let now = Timestamp(seconds: 1_700_000_000)
    private static let key = {
        guard let key = try? SigningKey(pem: SigningKey.generate().pem, id: "k") else { fatalError("no key was made") }
        return key
    }()
    private static let verifier = JWTVerifier(
        keys: VerificationKeySet([key.verificationKey]), issuer: "maru", audiences: ["maru"], type: .named("at+jwt"))

    /// A token without a valid signature is always refused. The input, a header up to a line end and claims after it,
    /// is then signed and must be judged by its content; its expiry is checked last.
    static let jwt = FuzzTarget { bytes in
        require((try? verifier.verify(bytes.span, now: now)) == nil, "a token without a signature is accepted")
        if verifier.claimsToHaveExpired(bytes.span, now: now) {
            require(
                verifier.claimsToHaveExpired(bytes.span, now: now + .seconds(60)),
                "an expired token is not expired later")
        }
        let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return }
        let signed = parts.map { Base64.encodedBytes($0.span, .url) }.joined(separator: [UInt8(ascii: ".")])
        let dot = [UInt8(ascii: ".")]
        func token(_ signature: [UInt8]) -> [UInt8] {
            Array(signed) + dot + Base64.encodedBytes(signature.span, .url)
        }
        let good = token(key.signature(for: Array(signed).span))
        let bad = token([UInt8](repeating: 1, count: 64))
        require((try? verifier.verify(bad.span, now: now)) == nil, "a token with a wrong signature is accepted")
        let saysExpired = verifier.claimsToHaveExpired(good.span, now: now)
        do throws(JWTError) {
            let claims = try verifier.verify(good.span, now: now)
            require(claims["iss"]?.string == "maru" && claims["exp"] != nil, "\(claims.text)")
            require(!saysExpired, "the token is valid and expired")
        } catch {
            switch error {
            // Besides its age, only the key or the length of an expired token can be wrong.
            case .unknownKey, .wrongAlgorithm, .unsupported: break
            default: require(saysExpired == (error == .expired), "\(error)")
            }
        }
    }

    /// A key is the same after it was written and read again.
    static let jwks = FuzzTarget { bytes in
        guard let json = try? JSONValue(parsing: bytes), let keys = try? VerificationKeySet(jwks: json) else { return }
        let written = JSONWriter.bytes(keys.write)
        guard let json = try? JSONValue(parsing: written), let again = try? VerificationKeySet(jwks: json) else {
            fatalError("a key that was written cannot be read")
        }
        require(again.keys.map(\.id) == keys.keys.map(\.id), "the names have changed")
        require(again.keys.map(\.thumbprint) == keys.keys.map(\.thumbprint), "the keys have changed")
        for key in keys.keys { require(keys[key.id] != nil, "a key is not found by its id") }
    }
}

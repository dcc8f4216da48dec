import Crypto
import Wire

extension FuzzTarget {
    private static let now = Timestamp(seconds: 1_700_000_000)
    private static let key = {
        guard let key = try? SigningKey(pem: SigningKey.generate().pem, id: "k") else { fatalError("no key") }
        return key
    }()
    private static let verifier = JWTVerifier(
        keys: VerificationKeySet([key.verificationKey]), issuer: "maru", audiences: ["maru"], type: .named("at+jwt"))

    /// Nobody gets in with what is not signed, whatever it says of itself. What is signed, a header before a line's end and
    /// claims behind it, is judged by what it says: its age comes last.
    static let jwt = FuzzTarget { bytes in
        require((try? verifier.verify(bytes.span, now: now)) == nil, "a token without a signature")
        if verifier.claimsToHaveExpired(bytes.span, now: now) {
            require(verifier.claimsToHaveExpired(bytes.span, now: now + .seconds(60)), "it is young again")
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
        require((try? verifier.verify(bad.span, now: now)) == nil, "a token that another has signed")
        let saysExpired = verifier.claimsToHaveExpired(good.span, now: now)
        do throws(JWTError) {
            let claims = try verifier.verify(good.span, now: now)
            require(claims["iss"]?.string == "maru" && claims["exp"] != nil, "\(claims.text)")
            require(!saysExpired, "it is valid and expired")
        } catch {
            switch error {
            // Its key or its length is all that can be wrong with an expired one besides.
            case .unknownKey, .wrongAlgorithm, .unsupported: break
            default: require(saysExpired == (error == .expired), "\(error)")
            }
        }
    }

    /// Keys that are read are read alike after they were written again.
    static let jwks = FuzzTarget { bytes in
        guard let json = try? JSONValue(parsing: bytes), let keys = try? VerificationKeySet(jwks: json) else { return }
        let written = JSONWriter.bytes(keys.write)
        guard let json = try? JSONValue(parsing: written), let again = try? VerificationKeySet(jwks: json) else {
            fatalError("what was written is not read")
        }
        require(again.keys.map(\.id) == keys.keys.map(\.id), "other names")
        require(again.keys.map(\.thumbprint) == keys.keys.map(\.thumbprint), "other keys")
        for key in keys.keys { require(keys[key.id] != nil, "a key that its name does not find") }
    }
}

import Crypto
import Testing
import Wire

@Suite struct JWTTests {
    private let now = Timestamp(seconds: 1_700_000_100)

    @Test(
        "The signatures of RFC 7515 are valid, and not valid for other input",
        arguments: [
            (RFCKeys.es256JWK, RFCKeys.es256Signed, RFCKeys.es256Signature),
            (RFCKeys.rs256JWK, RFCKeys.rs256Signed, RFCKeys.rs256Signature),
        ])
    func rfc7515(jwk: String, signed: String, signature: String) throws {
        let key = try VerificationKey(jwk: JSONValue(parsing: jwk))
        let signature = try #require(Self.decode(signature))
        #expect(key.isValid(signature, for: Array(signed.utf8)))
        #expect(!key.isValid(signature, for: Array((signed + "A").utf8)))
    }

    @Test("A token made by PyJWT is accepted and its claims are read")
    func pythonToken() throws {
        let verifier = try Self.verifier()
        let claims = try verifier.verify(PythonKeys.p256Token, now: now)
        #expect(claims["sub"]?.string == "42")
        #expect(claims["sid"]?.string == "7")
    }

    @Test("An identity token as Apple signs it is accepted until its last moment")
    func appleToken() throws {
        let keys = try VerificationKeySet([VerificationKey(jwk: JSONValue(parsing: PythonKeys.rsaJWK))])
        let verifier = JWTVerifier(
            keys: keys, issuer: "https://appleid.apple.com", audiences: ["com.example.app"], type: .generic)
        let token = PythonKeys.rsaToken
        let lastMoment = Timestamp(milliseconds: 1_700_000_600_499)
        #expect(try verifier.verify(token, now: lastMoment)["sub"]?.string == "001.abc")
        #expect(throws: JWTError.expired) { try verifier.verify(token, now: lastMoment + .milliseconds(1)) }
        let tolerant = JWTVerifier(
            keys: keys, issuer: "https://appleid.apple.com", audiences: ["com.example.app"], type: .generic,
            leeway: .seconds(30))
        #expect(throws: Never.self) { try tolerant.verify(token, now: lastMoment + .seconds(30)) }
        #expect(throws: JWTError.expired) { try tolerant.verify(token, now: lastMoment + .seconds(31)) }
    }

    @Test("A token signed here is accepted with the published key")
    func roundTrip() throws {
        let key = SigningKey.generate()
        let token = JWTSigner(key: key, type: "at+jwt").sign { json in
            json.field("iss", "maru")
            json.field("aud", "maru")
            json.field("exp", 1_700_000_900)
            json.field("name", "마루 \"quoted\"")
        }
        let published = try VerificationKeySet(
            jwks: JSONValue(parsing: JSONWriter.bytes(VerificationKeySet([key.verificationKey]).write)))
        let verifier = JWTVerifier(keys: published, issuer: "maru", audiences: ["maru"], type: .named("at+jwt"))
        #expect(try verifier.verify(token, now: now)["name"]?.string == "마루 \"quoted\"")
    }

    @Test("A token for another purpose, audience or issuer, or outside its time, is refused")
    func wrongClaims() throws {
        let token = PythonKeys.p256Token
        #expect(throws: JWTError.wrongType) { try Self.verifier(type: .named("socket+jwt")).verify(token, now: now) }
        #expect(throws: JWTError.wrongType) { try Self.verifier(type: .generic).verify(token, now: now) }
        #expect(throws: JWTError.wrongIssuer) { try Self.verifier(issuer: "Maru").verify(token, now: now) }
        #expect(throws: JWTError.wrongAudience) { try Self.verifier(audience: "maru-socket").verify(token, now: now) }
        let (before, after) = (Timestamp(milliseconds: 1_699_999_999_999), Timestamp(seconds: 1_700_000_900))
        #expect(throws: JWTError.notYetValid) { try Self.verifier().verify(token, now: before) }
        #expect(throws: JWTError.expired) { try Self.verifier().verify(token, now: after) }
        #expect(throws: JWTError.wrongAudience) { try Self.verifier(audience: "other2").verify(token, now: after) }
    }

    @Test("The other valid form of an ES256 signature is refused only where the issuer never signs with a high s")
    func highS() throws {
        let key = SigningKey.generate()
        let token = JWTSigner(key: key).sign { json in
            json.field("iss", "maru")
            json.field("aud", "maru")
            json.field("exp", 1_700_000_900)
        }
        let parts = String(decoding: token, as: UTF8.self).split(separator: ".")
        let signature = try #require(Self.decode(String(parts[2])))
        let other = Base64.encode(P256Order.other(signature).span, .url)
        func verify(_ signature: String, _ requiresLowS: Bool) throws {
            let verifier = JWTVerifier(
                keys: VerificationKeySet([key.verificationKey]), issuer: "maru", audiences: ["maru"], type: .generic,
                requiresLowS: requiresLowS)
            _ = try verifier.verify("\(parts[0]).\(parts[1]).\(signature)", now: now)
        }
        for requiresLowS in [true, false] {
            #expect(throws: Never.self) { try verify(String(parts[2]), requiresLowS) }
        }
        #expect(throws: Never.self) { try verify(other, false) }
        #expect(throws: JWTError.highS) { try verify(other, true) }
    }

    @Test("A token with any character changed is refused, and never as merely expired")
    func tampered() throws {
        let verifier = try Self.verifier()
        let token = Array(PythonKeys.p256Token.utf8)
        for index in token.indices {
            for replacement in [UInt8(ascii: "A"), UInt8(ascii: "_"), UInt8(ascii: ".")]
            where replacement != token[index] {
                var changed = token
                changed[index] = replacement
                let error = #expect(throws: JWTError.self) { try verifier.verify(changed, now: .now) }
                #expect(error != .expired)
            }
        }
    }

    @Test("A truncated token is refused, wherever it is cut", arguments: ["", "=", " ", "\n", ".", "A", "\0"])
    func cutOrLengthened(tail: String) throws {
        let verifier = try Self.verifier()
        let token = Array(PythonKeys.p256Token.utf8)
        for length in token.indices {
            #expect(throws: JWTError.self) {
                try verifier.verify(token[..<length] + Array(tail.utf8), now: now)
            }
        }
        if !tail.isEmpty {
            #expect(throws: JWTError.self) { try verifier.verify(token + Array(tail.utf8), now: now) }
        }
    }

    @Test("The algorithm is the key's: none, HMAC with the public key and RSA for EC are refused")
    func pinnedAlgorithm() throws {
        let key = try SigningKey(pem: PythonKeys.p256PEM, id: "ec-1")
        let hmac = HMACSHA256(key: Array(key.verificationKey.thumbprint.utf8))
        for algorithm in ["none", "None", "HS256", "RS256", "ES384", "ES256 ", "es256", ""] {
            let head = Self.encode(#"{"alg":"\#(algorithm)","typ":"at+jwt","kid":"ec-1"}"#) + "." + Self.claims
            let signatures = [
                [], hmac.code(for: Array(head.utf8)), key.signature(for: Array(head.utf8)),
            ]
            for signature in signatures {
                let token = head + "." + Base64.encode(signature.span, .url)
                #expect(throws: JWTError.wrongAlgorithm) { try Self.verifier().verify(token, now: now) }
            }
        }
    }

    @Test("A token's key is found by kid among the given keys, never in its own header")
    func keyFromHeader() throws {
        let attacker = SigningKey.generate()
        let jwk = String(decoding: JSONWriter.bytes(attacker.verificationKey.write), as: UTF8.self)
        func token(_ header: String) -> String {
            let head = Self.encode(header) + "." + Self.claims
            return head + "." + Base64.encode(attacker.signature(for: Array(head.utf8)).span, .url)
        }
        let cases: [(String, JWTError)] = [
            (#"{"alg":"ES256","typ":"at+jwt","jwk":\#(jwk)}"#, .unknownKey),
            (#"{"alg":"ES256","typ":"at+jwt","kid":"\#(attacker.id)","jwk":\#(jwk)}"#, .unknownKey),
            (#"{"alg":"ES256","typ":"at+jwt","kid":7}"#, .unknownKey),
            (#"{"alg":"ES256","typ":"at+jwt","kid":"ec-1","jwk":\#(jwk)}"#, .badSignature),
            (#"{"alg":"ES256","typ":"at+jwt","kid":"ec-1","crit":["b64"],"b64":false}"#, .unsupported),
            (#"{"typ":"at+jwt","kid":"ec-1"}"#, .wrongAlgorithm),
            (#"["ES256"]"#, .malformed),
            (#"{"alg":"ES256""#, .malformed),
        ]
        for (header, error) in cases {
            #expect(throws: error) { try Self.verifier().verify(token(header), now: now) }
        }
    }

    @Test(
        "A token is refused if its claims are missing or of another type",
        arguments: [
            (#"{"iss":"maru","aud":"maru"}"#, JWTError.malformed),
            (#"{"iss":"maru","aud":"maru","exp":"1700000900"}"#, .malformed),
            (#"{"iss":"maru","aud":"maru","exp":null}"#, .malformed),
            (#"{"iss":"maru","aud":"maru","exp":1e300}"#, .malformed),
            (#"{"iss":"maru","aud":"maru","exp":1700000900,"nbf":"0"}"#, .malformed),
            (#"{"aud":"maru","exp":1700000900}"#, .wrongIssuer),
            (#"{"iss":["maru"],"aud":"maru","exp":1700000900}"#, .wrongIssuer),
            (#"{"iss":"maru","exp":1700000900}"#, .wrongAudience),
            (#"{"iss":"maru","aud":[],"exp":1700000900}"#, .wrongAudience),
            (#"{"iss":"maru","aud":[["maru"]],"exp":1700000900}"#, .wrongAudience),
            (#"{"iss":"maru","aud":"maru","exp":-1}"#, .expired),
            (#"[]"#, .malformed), (#""#, .malformed), (#"{"iss":"maru""#, .malformed),
        ])
    func missingClaims(claims: String, error: JWTError) throws {
        let key = try SigningKey(pem: PythonKeys.p256PEM, id: "ec-1")
        let head = Self.encode(#"{"alg":"ES256","typ":"at+jwt","kid":"ec-1"}"#) + "." + Self.encode(claims)
        let token = head + "." + Base64.encode(key.signature(for: Array(head.utf8)).span, .url)
        #expect(throws: error) { try Self.verifier().verify(token, now: now) }
    }

    @Test("The type is compared as a media type")
    func mediaType() throws {
        for type in ["at+jwt", "AT+JWT", "application/at+jwt", "Application/AT+jwt"] {
            let token = PythonKeys.p256Token
            #expect(throws: Never.self) { try Self.verifier(type: .named(type)).verify(token, now: now) }
        }
    }

    @Test("A token longer than the limit is not parsed")
    func tooLong() throws {
        let token = String(repeating: "a", count: JWTVerifier.defaultMaximumLength + 1)
        #expect(throws: JWTError.tooLong) { try Self.verifier().verify(token, now: now) }
    }

    private static let claims = encode(#"{"iss":"maru","aud":"maru","exp":1700000900}"#)

    private static func decode(_ text: String) -> [UInt8]? { Base64.decode(text.utf8.span, .url) }

    private static func encode(_ text: String) -> String { Base64.encode(text.utf8.span, .url) }

    private static func verifier(
        issuer: String = "maru", audience: String = "maru", type: JWTType = .named("at+jwt")
    ) throws -> JWTVerifier {
        let key = try VerificationKey(jwk: JSONValue(parsing: PythonKeys.p256PrivateJWK))
        return JWTVerifier(
            keys: VerificationKeySet([key]), issuer: issuer, audiences: [audience], type: type)
    }
}

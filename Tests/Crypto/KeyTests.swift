import Crypto
import Testing
import Wire

@Suite struct KeyTests {
    private let message = Array("What is signed".utf8)

    @Test("The thumbprint is that of RFC 7638, and other members of the JWK do not change it")
    func thumbprint() throws {
        let key = try VerificationKey(jwk: JSONValue(parsing: RFCKeys.rfc7638))
        #expect(key.thumbprint == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
        #expect(key.id == "2011-04-29")
        #expect(key.algorithm == .rs256)
    }

    @Test("A new key survives PEM and JWK, and its id is its thumbprint")
    func exportAndImport() throws {
        let key = SigningKey.generate()
        #expect(key.id == key.verificationKey.thumbprint)
        let signature = key.signature(for: message)
        #expect(signature.count == 64)

        let fromPEM = try SigningKey(pem: key.pem)
        let fromJWK = try VerificationKey(jwk: JSONValue(parsing: JSONWriter.bytes(key.verificationKey.write)))
        for copy in [fromPEM.verificationKey, fromJWK] {
            #expect(copy.id == key.id)
            #expect(copy.isValid(signature, for: message))
        }
        #expect(key.verificationKey.isValid(fromPEM.signature(for: message), for: message))
    }

    @Test("A P-256 signature has an s in the lower half of the group's order, so that it has one valid form")
    func lowS() {
        let key = SigningKey.generate()
        for number in 0..<64 {
            let message = Array("message \(number)".utf8)
            let signature = key.signature(for: message)
            #expect(Array(signature[32...]).lexicographicallyPrecedes(P256Order.half + [0]))
            #expect(key.verificationKey.isValid(signature, for: message))
        }
    }

    @Test("A key made by Python is the same key as PEM and as JWK")
    func pythonKey() throws {
        let fromPEM = try SigningKey(pem: PythonKeys.p256PEM)
        let fromJWK = try VerificationKey(jwk: JSONValue(parsing: PythonKeys.p256PrivateJWK))
        #expect(fromJWK.id == "ec-1")
        #expect(fromPEM.verificationKey.thumbprint == fromJWK.thumbprint)
        let jwk = try JSONValue(parsing: JSONWriter.bytes(fromPEM.verificationKey.write))
        let original = try JSONValue(parsing: PythonKeys.p256PrivateJWK)
        for member in ["x", "y"] { #expect(jwk[named: member]?.string == original[named: member]?.string) }
        #expect(fromPEM.pem == PythonKeys.p256PEM + "\n")
    }

    @Test("A published key does not contain its secret half")
    func publicJWK() throws {
        let jwk = try JSONValue(parsing: JSONWriter.bytes(SigningKey.generate().verificationKey.write))
        #expect(jwk.members?.map(\.name).sorted() == ["alg", "crv", "kid", "kty", "use", "x", "y"])
    }

    @Test("A service account's RSA key makes signatures that its public half verifies")
    func rsa() throws {
        let key = try SigningKey(pem: PythonKeys.rsaPEM, id: "rsa-1")
        let published = try VerificationKey(jwk: JSONValue(parsing: PythonKeys.rsaJWK))
        #expect(key.algorithm == .rs256)
        #expect(key.verificationKey.thumbprint == published.thumbprint)
        let signature = key.signature(for: message)
        #expect(published.isValid(signature, for: message))
    }

    @Test("A signature that is changed in any bit, cut, lengthened or of another key is not valid")
    func tamperedSignatures() throws {
        for key in [SigningKey.generate(), try SigningKey(pem: PythonKeys.rsaPEM)] {
            let signature = key.signature(for: message)
            for bit in 0..<signature.count * 8 {
                var changed = signature
                changed[bit / 8] ^= 1 << (bit % 8)
                #expect(!key.verificationKey.isValid(changed, for: message))
            }
            let other = SigningKey.generate().signature(for: message)
            let zeros = [UInt8](repeating: 0, count: signature.count)
            for wrong in [Array(signature.dropLast()), signature + [0], [], other, zeros] {
                #expect(!key.verificationKey.isValid(wrong, for: message))
            }
            #expect(!key.verificationKey.isValid(signature, for: Array(message.dropLast())))
            #expect(key.verificationKey.isValid(signature, for: message))
        }
    }

    @Test("A key that is encrypted, damaged, of another curve or too weak is refused")
    func refusedPEM() {
        let damaged = PythonKeys.p256PEM.replacing("MIGH", with: "MIGG")
        let cases: [(String, KeyError)] = [
            (PythonKeys.encryptedPEM, .malformed), (PythonKeys.p384PEM, .unsupported),
            (PythonKeys.weakPEM, .unacceptableSize), ("", .malformed), ("-----BEGIN PRIVATE KEY-----", .malformed),
            (damaged, .malformed),
        ]
        for (pem, error) in cases { #expect(throws: error) { try SigningKey(pem: pem) } }
    }

    @Test("A JWK with a point off the curve or with damaged numbers is refused")
    func refusedJWK() throws {
        let sound = PythonKeys.p256PrivateJWK
        let other = try JSONValue(parsing: JSONWriter.bytes(SigningKey.generate().verificationKey.write))
        func replacing(_ member: String, with value: String) throws -> JSONValue {
            let old = try #require(JSONValue(parsing: sound)[named: member]?.string)
            return try JSONValue(parsing: sound.replacing("\"\(old)\"", with: value))
        }
        let foreign = { (member: String) in "\"\(other[named: member]?.string ?? "")\"" }
        let damaged = try [
            replacing("x", with: foreign("x")), replacing("x", with: "\"AA\""), replacing("y", with: "7"),
            replacing("y", with: "\"\""), replacing("x", with: "\"!!!!\""),
            replacing("x", with: "\"\(String(repeating: "A", count: 43))\""),
        ]
        for jwk in damaged { #expect(throws: KeyError.malformed) { try VerificationKey(jwk: jwk) } }
        for jwk in try [replacing("kty", with: "\"oct\""), replacing("crv", with: "\"P-384\"")] {
            #expect(throws: KeyError.unsupported) { try VerificationKey(jwk: jwk) }
        }
        let rsa = PythonKeys.rsaJWK
        #expect(throws: KeyError.unsupported) {
            try VerificationKey(jwk: JSONValue(parsing: rsa.replacing("\"RS256\"", with: "\"RS512\"")))
        }
        #expect(throws: KeyError.unsupported) {
            try VerificationKey(jwk: JSONValue(parsing: rsa.replacing("\"sig\"", with: "\"enc\"")))
        }
        for exponent in ["AQ", "AAAB", "AQAA", "", "AQAAAAAAAAAB"] {
            #expect(throws: KeyError.malformed) {
                try VerificationKey(jwk: JSONValue(parsing: rsa.replacing("\"AQAB\"", with: "\"\(exponent)\"")))
            }
        }
        #expect(throws: KeyError.unacceptableSize) {
            try VerificationKey(jwk: JSONValue(parsing: #"{"kty":"RSA","n":"oQcpxadZjJo","e":"AQAB"}"#))
        }
    }

    @Test("A key set keeps the keys it can use and finds them by kid")
    func keySet() throws {
        let set = try VerificationKeySet(
            jwks: JSONValue(
                parsing: """
                    {"keys":[{"kty":"oct","k":"AAAA","kid":"a"},\(PythonKeys.rsaJWK),7,{},
                    {"kty":"OKP","crv":"Ed25519","x":"AA","kid":"b"},\(PythonKeys.p256PrivateJWK)],"more":true}
                    """))
        #expect(set.keys.map(\.id) == ["rsa-1", "ec-1"])
        #expect(set["ec-1"]?.algorithm == .es256)
        #expect(set["a"] == nil && set[""] == nil)

        let published = try VerificationKeySet(jwks: JSONValue(parsing: JSONWriter.bytes(set.write)))
        #expect(published.keys.map(\.id) == ["rsa-1", "ec-1"])
    }

    @Test("A malformed or too large key set is refused")
    func refusedKeySet() throws {
        let endless = "{\"keys\":[" + String(repeating: "{},", count: 64) + "{}]}"
        for text in ["{}", "[]", "{\"keys\":{}}", endless] {
            #expect(throws: KeyError.malformed) { try VerificationKeySet(jwks: JSONValue(parsing: text)) }
        }
    }
}

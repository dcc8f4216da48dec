public import Wire

/// Makes tokens of one type with one key.
public struct JWTSigner: Sendable {
    /// The key that signs.
    public let key: SigningKey
    /// The encoded header and its dot, which are the same for all tokens of a signer.
    private let head: [UInt8]

    /// - Parameter type: the purpose, such as `at+jwt`.
    public init(key: SigningKey, type: String = "JWT") {
        self.key = key
        let header = JSONWriter.bytes { json in
            json.object { json in
                json.field("alg", key.algorithm.rawValue)
                json.field("typ", type)
                json.field("kid", key.id)
            }
        }
        head = Base64.encodedBytes(header.span, .url) + [UInt8(ascii: ".")]
    }

    /// Returns a token; `write` writes its claims as members of an object.
    public func sign(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        let claims = JSONWriter.bytes { json in json.object(write) }
        var token = head
        token.append(contentsOf: Base64.encodedBytes(claims.span, .url))
        let signature = key.signature(for: token.span)
        token.append(UInt8(ascii: "."))
        token.append(contentsOf: Base64.encodedBytes(signature.span, .url))
        return token
    }
}

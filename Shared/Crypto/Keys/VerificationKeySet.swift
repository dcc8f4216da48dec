public import Wire

/// The keys of accepted signatures by their `kid`: a JWKS of RFC 7517.
public struct VerificationKeySet: Sendable {
    /// More keys than any issuer publishes at a time; Maru's own issuer stays below it.
    public static let maximumCount = 64

    /// The keys in the given order.
    public let keys: [VerificationKey]
    private let byID: [String: VerificationKey]

    /// Of keys with the same `id` the first counts.
    public init(_ keys: [VerificationKey]) {
        self.keys = keys
        byID = Dictionary(keys.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Reads the keys that an issuer publishes. Keys of other kinds and uses are ignored, as RFC 7517 §5 says.
    ///
    /// - Throws: `malformed` if this is not a key set, or has more than `maximumCount` keys.
    public init(jwks: JSONValue) throws(KeyError) {
        guard let elements = jwks["keys"]?.elements else { throw .malformed }
        let jwks = Array(elements)
        guard jwks.count <= Self.maximumCount else { throw .malformed }
        self.init(jwks.compactMap { try? VerificationKey(jwk: $0) })
    }

    /// The key of this `kid`.
    public subscript(id: String) -> VerificationKey? { byID[id] }
}

extension VerificationKeySet: JSONWritable {
    /// Writes the JWKS to publish.
    public func write(to json: inout JSONWriter) {
        json.object { json in json.field("keys", keys) }
    }
}

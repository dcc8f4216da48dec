public import Wire

/// The keys whose signatures are accepted, by their `kid`: a JWKS of RFC 7517.
public struct VerificationKeySet: Sendable {
    /// More than any issuer publishes at a time; our own sees to it.
    public static let maximumCount = 64

    /// In the order given.
    public let keys: [VerificationKey]
    private let byID: [String: VerificationKey]

    /// Where two have the same `id`, the first counts.
    public init(_ keys: [VerificationKey]) {
        self.keys = keys
        byID = Dictionary(keys.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Reads what an issuer publishes. Keys of other kinds and for other uses are left aside, as RFC 7517 §5 has it.
    ///
    /// - Throws: `malformed` where it is no key set, or one of more than `maximumCount` keys.
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

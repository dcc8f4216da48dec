public import Wire

/// Accepts the tokens of one issuer for one audience and one purpose.
///
/// A token chooses one of the given keys by `kid`, and nothing else: its `alg` must be that of the key, and keys or key
/// addresses in its header are ignored. It must have an `exp`.
public struct JWTVerifier: Sendable {
    /// The default limit of a token's length in bytes; tokens of all providers are shorter.
    public static let defaultMaximumLength = 8192

    private let keys: VerificationKeySet
    private let issuer: String
    private let audiences: Set<String>
    private let type: JWTType
    private let leeway: Duration
    private let maximumLength: Int
    private let requiresLowS: Bool

    /// - Parameters:
    ///   - audiences: the names of this audience; `aud` must contain one of them.
    ///   - leeway: the tolerated error of the issuer's clock; zero for Maru's own tokens.
    ///   - maximumLength: the limit of a token's length in bytes.
    ///   - requiresLowS: refuses the second valid form of an ES256 signature; only for an issuer that never signs with it,
    ///     as Maru does not.
    public init(
        keys: VerificationKeySet, issuer: String, audiences: Set<String>, type: JWTType, leeway: Duration = .zero,
        maximumLength: Int = defaultMaximumLength, requiresLowS: Bool = false
    ) {
        self.keys = keys
        self.issuer = issuer
        self.audiences = audiences
        self.type = type
        self.leeway = leeway
        self.maximumLength = maximumLength
        self.requiresLowS = requiresLowS
    }

    /// The claims of a token that is valid in every respect.
    public func verify(_ token: Span<UInt8>, now: Timestamp) throws(JWTError) -> JSONValue {
        guard token.count <= maximumLength else { throw .tooLong }
        let parts = try JWTParts(token)
        let key = try key(for: parts.header)
        guard key.isValid(parts.signature.span, for: token.extracting(..<parts.signedLength)) else {
            throw .badSignature
        }
        if requiresLowS, key.algorithm == .es256, !P256Signature.hasLowS(parts.signature.span) { throw .highS }
        return try checkedClaims(of: parts, now: now)
    }

    /// Whether a token looks expired but otherwise valid, without checking its signature. Use it only to tell the
    /// holder to refresh the token.
    public func claimsToHaveExpired(_ token: Span<UInt8>, now: Timestamp) -> Bool {
        guard token.count <= maximumLength else { return false }
        do {
            _ = try checkedClaims(of: try JWTParts(token), now: now)
            return false
        } catch {
            return error == .expired
        }
    }

    private func checkedClaims(of parts: JWTParts, now: Timestamp) throws(JWTError) -> JSONValue {
        guard type.accepts(parts.header["typ"]?.string) else { throw .wrongType }
        let claims = try parts.claims()
        guard claims["iss"]?.string == issuer else { throw .wrongIssuer }
        guard Self.audiences(in: claims).contains(where: audiences.contains) else { throw .wrongAudience }
        try checkTimes(of: claims, now: now)
        return claims
    }

    private func key(for header: JSONValue) throws(JWTError) -> VerificationKey {
        guard header["crit"] == nil else { throw .unsupported }
        guard let id = header["kid"]?.string, let key = keys[id] else { throw .unknownKey }
        guard header["alg"]?.string == key.algorithm.rawValue else { throw .wrongAlgorithm }
        return key
    }

    private static func audiences(in claims: JSONValue) -> [String] {
        guard let audience = claims["aud"] else { return [] }
        if let one = audience.string { return [one] }
        return audience.elements?.compactMap(\.string) ?? []
    }

    /// `exp` is checked last, so that `expired` means that the holder may refresh the token.
    private func checkTimes(of claims: JSONValue, now: Timestamp) throws(JWTError) {
        if let notBefore = claims["nbf"], now + leeway < (try Self.moment(notBefore)) { throw .notYetValid }
        guard let expiry = claims["exp"] else { throw .malformed }
        guard now - leeway < (try Self.moment(expiry)) else { throw .expired }
    }

    /// A NumericDate of RFC 7519: seconds since 1970, possibly with a fraction.
    private static func moment(_ value: JSONValue) throws(JWTError) -> Timestamp {
        if let seconds = value.int { return Timestamp(seconds: Int64(seconds)) }
        guard let milliseconds = value.double.map({ $0 * 1000 }), abs(milliseconds) < 0x1p53 else { throw .malformed }
        return Timestamp(milliseconds: Int64(milliseconds))
    }
}

public import Wire

/// Accepts the tokens of one issuer for one audience and one purpose.
///
/// A token chooses among our keys by `kid` and nothing else: its `alg` must be that of the key, and keys or addresses of
/// keys in its header are not looked at. It must have an `exp`.
public struct JWTVerifier: Sendable {
    /// Bytes; longer than the tokens of any provider.
    public static let defaultMaximumLength = 8192

    private let keys: VerificationKeySet
    private let issuer: String
    private let audiences: Set<String>
    private let type: JWTType
    private let leeway: Duration
    private let maximumLength: Int

    /// - Parameters:
    ///   - audiences: what we are called; `aud` must name one of them.
    ///   - leeway: how far the issuer's clock may be off; none for our own tokens.
    ///   - maximumLength: bytes of a token.
    public init(
        keys: VerificationKeySet, issuer: String, audiences: Set<String>, type: JWTType, leeway: Duration = .zero,
        maximumLength: Int = defaultMaximumLength
    ) {
        self.keys = keys
        self.issuer = issuer
        self.audiences = audiences
        self.type = type
        self.leeway = leeway
        self.maximumLength = maximumLength
    }

    /// The claims of a token that is right in every respect.
    public func verify(_ token: Span<UInt8>, now: Timestamp) throws(JWTError) -> JSONValue {
        guard token.count <= maximumLength else { throw .tooLong }
        let parts = try JWTParts(token)
        let key = try key(for: parts.header)
        guard key.isValid(parts.signature.span, for: token.extracting(..<parts.signedLength)) else {
            throw .badSignature
        }
        return try checkedClaims(of: parts, now: now)
    }

    /// Whether nothing but its age is wrong with what a token says of itself. Nobody has vouched for that: it is good for
    /// telling its holder to renew it, and for nothing else.
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

    /// `exp` comes last: an expired token is one whose holder may refresh it.
    private func checkTimes(of claims: JSONValue, now: Timestamp) throws(JWTError) {
        if let notBefore = claims["nbf"], now + leeway < (try Self.moment(notBefore)) { throw .notYetValid }
        guard let expiry = claims["exp"] else { throw .malformed }
        guard now - leeway < (try Self.moment(expiry)) else { throw .expired }
    }

    /// A NumericDate of RFC 7519: seconds since 1970, perhaps with a fraction.
    private static func moment(_ value: JSONValue) throws(JWTError) -> Timestamp {
        if let seconds = value.int { return Timestamp(seconds: Int64(seconds)) }
        guard let milliseconds = value.double.map({ $0 * 1000 }), abs(milliseconds) < 0x1p53 else { throw .malformed }
        return Timestamp(milliseconds: Int64(milliseconds))
    }
}

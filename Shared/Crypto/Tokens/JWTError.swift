/// Why a token is refused. Reasons that a caller may handle differently are separate cases.
public enum JWTError: Error, Hashable {
    /// The token is longer than the limit.
    case tooLong
    /// The token does not have three base64url parts, a part is not JSON, or a required claim is missing.
    case malformed
    /// The token requires an unknown extension (`crit`).
    case unsupported
    /// The token names no key, or an unknown one; an issuer that rotates its keys may have published it in the
    /// meantime.
    case unknownKey
    /// The token's algorithm is not its key's; `none` is refused too.
    case wrongAlgorithm
    /// The signature is not valid.
    case badSignature
    /// The signature is valid, but not in the only form that Maru signs: its s is high.
    case highS
    /// The token was made for another purpose (`typ`).
    case wrongType
    /// The token was made by another issuer (`iss`).
    case wrongIssuer
    /// The token was made for another audience (`aud`).
    case wrongAudience
    /// The token is not valid yet (`nbf`).
    case notYetValid
    /// The token has expired (`exp`) and is valid in every other respect.
    case expired
}

/// Why a token is not accepted. What a caller may react to differently is told apart.
public enum JWTError: Error, Hashable {
    /// It is longer than any token of ours.
    case tooLong
    /// It is not three base64url parts, JSON where JSON must be, or lacks a claim that it must have.
    case malformed
    /// It asks for an extension (`crit`) that we do not know.
    case unsupported
    /// It names no key, or none of ours; an issuer that rotates its keys may have published it since.
    case unknownKey
    /// It asks for another algorithm than its key's, `none` included.
    case wrongAlgorithm
    /// The signature does not belong to it.
    case badSignature
    /// It was made for another purpose (`typ`).
    case wrongType
    /// It was made by somebody else (`iss`).
    case wrongIssuer
    /// It was made for somebody else (`aud`).
    case wrongAudience
    /// Its time has not come (`nbf`).
    case notYetValid
    /// Its time is over (`exp`), and that is all that is wrong with it.
    case expired
}

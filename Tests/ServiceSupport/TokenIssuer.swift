public import Crypto
public import ServiceKit
internal import Wire

/// Issues access tokens in place of auth-service.
public struct TokenIssuer: Sendable {
    private let key: SigningKey

    /// - Parameter key: the signing key; by default a new one, which no service trusts unless it fetches `jwks`.
    public init(key: SigningKey = .generate()) { self.key = key }

    /// The reply of `/internal/keys`.
    public var jwks: [UInt8] { JSONWriter.bytes { json in VerificationKeySet([key.verificationKey]).write(to: &json) } }

    /// An access token of a user; the session's id is the user's plus 1000.
    public func token(user: Int64, key profile: String = "sooda", lives: Duration = .seconds(600)) -> String {
        token(for: .access, user: user, session: user + 1000, key: profile, lives: lives)
    }

    /// The value of the cookie that opens sockets for the same session.
    public func socketCookie(user: Int64, key profile: String = "sooda") -> String {
        token(for: .socket, user: user, session: user + 1000, key: profile, lives: .seconds(600))
    }

    /// A token of a session for a purpose.
    public func token(
        for purpose: Authenticator.Purpose, user: Int64, session: Int64, key profile: String, lives: Duration
    ) -> String {
        let token = JWTSigner(key: key, type: purpose.type).sign { json in
            json.field("iss", Authenticator.issuer)
            json.field("aud", purpose.audience)
            json.field("sub", "\(user)")
            json.field("sid", "\(session)")
            json.field("pro", profile)
            json.field("iat", Timestamp.now.seconds)
            json.field("nbf", Timestamp.now.seconds)
            json.field("exp", (Timestamp.now + lives).seconds)
        }
        return String(decoding: token, as: UTF8.self)
    }
}

import Contract
import Crypto
import ServiceKit
import Wire

/// Signs access tokens and socket cookies.
struct TokenIssuer: Sendable {
    private let keys: SigningKeys

    /// A service accepts a fresh token although its clock is so far behind. `maructl doctor` complains of two seconds.
    private static let clockError = Duration.seconds(5)

    init(keys: SigningKeys) { self.keys = keys }

    /// Signs an access token for HTTP routes. It lives as long as the profile says, but not beyond the session.
    func accessToken(for session: Session, under profile: ClientProfile, now: Timestamp) -> String {
        sign(.access, session, until: min(now + profile.accessTokenLifetime, session.expiresAt), now)
    }

    /// Signs the token of the socket cookie, which is valid as long as the session.
    func socketToken(for session: Session, now: Timestamp) -> String {
        sign(.socket, session, until: session.expiresAt, now)
    }

    private func sign(
        _ purpose: Authenticator.Purpose, _ session: Session, until expiry: Timestamp, _ now: Timestamp
    ) -> String {
        let token = JWTSigner(key: keys.current, type: purpose.type).sign { json in
            json.field("iss", Authenticator.issuer)
            json.field("aud", purpose.audience)
            json.field("sub", session.account.description)
            json.field("sid", session.id.description)
            json.field("pro", session.profile)
            json.field("iat", now.seconds)
            json.field("nbf", (now - Self.clockError).seconds)
            json.field("exp", expiry.seconds)
        }
        return String(decoding: token, as: UTF8.self)
    }
}

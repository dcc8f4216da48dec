import Crypto
import ServiceKit
import Wire

/// Issues access tokens as auth-service does.
struct TokenIssuer: Sendable {
    private let key = SigningKey.generate()

    /// What `/internal/keys` replies.
    var jwks: [UInt8] { JSONWriter.bytes { json in VerificationKeySet([key.verificationKey]).write(to: &json) } }

    func token(user: Int64, key profile: String = "sooda", lives: Duration = .seconds(600)) -> String {
        let token = JWTSigner(key: key, type: Authenticator.Purpose.access.type).sign { json in
            json.field("iss", Authenticator.issuer)
            json.field("aud", Authenticator.Purpose.access.audience)
            json.field("sub", "\(user)")
            json.field("sid", "\(user + 1000)")
            json.field("pro", profile)
            json.field("iat", Timestamp.now.seconds)
            json.field("nbf", Timestamp.now.seconds)
            json.field("exp", (Timestamp.now + lives).seconds)
        }
        return String(decoding: token, as: UTF8.self)
    }
}

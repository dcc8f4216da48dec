import Contract
import ServiceKit

extension DeletionConfirmation.Proof {
    /// Reads the proof of ownership in a call: `password`, `oauthToken` of Kakao, `idToken` of Apple, or the `ticket` of
    /// a sign-in with an issuer and its reply. Its code is `authorizationCode` here, because `code` is that of a second
    /// factor.
    init(in fields: Fields) throws {
        if let token = try fields.optionalText("oauthToken") {
            guard token.utf8.count <= Kakao.longestToken else { throw Failure.invalid("oauthToken is too long.") }
            self = .kakao(token)
        } else if let token = try fields.optionalText("idToken") {
            guard token.utf8.count <= Apple.longestToken else { throw Failure.invalid("idToken is too long.") }
            let code = try fields.optionalText("authorizationCode")
            guard (code?.utf8.count ?? 0) <= Apple.longestToken else {
                throw Failure.invalid("authorizationCode is too long.")
            }
            self = .apple(token, code: code)
        } else if fields.hasValue("ticket") {
            self = .issuer(try OIDCSignIns.Reply(in: fields, code: "authorizationCode"))
        } else {
            self = .password(try fields.text("password", upTo: Password.longestInBytes))
        }
    }
}

import Contract
import Crypto
import HTTP
import ServiceKit
import Wire

/// Signing in with OpenID Connect.
struct OIDCRoutes: Sendable {
    let signIns: OIDCSignIns
    let finish: SignInFinish

    func register(in routes: inout PublicRoutes) {
        routes.nativeOpen(.get, "/v1/auth/oidc", list)
        routes.nativeOpen(.post, "/v1/auth/oidc/{issuer}", begin)
        routes.nativeOpen(.post, "/v1/users/login/oidc", logIn)
    }

    /// The issuers to choose from.
    func list(_ call: Call) async throws -> Response {
        call.reply { json in
            json.object { json in
                json.array("issuers") { json in
                    for issuer in signIns.issuers {
                        json.object { json in
                            json.field("name", issuer.registration.name)
                            json.field("title", issuer.registration.title)
                        }
                    }
                }
            }
        }
    }

    /// Begins a sign-in: the app keeps the ticket and sends the user to the address.
    func begin(_ call: Call) async throws -> Response {
        let redirect = try await call.fields().text("redirect", upTo: OIDCSignIns.longestText)
        let begun = try await signIns.begin(with: try call.text("issuer"), redirect: redirect, under: call.profile)
        var response = call.reply { json in
            json.object { json in
                json.field("url", begun.address)
                json.field("ticket", begun.attempt.ticket.text)
                json.field("expiresAt", begun.expiresAt)
            }
        }
        response.headers.append(.cacheControl, "no-store")
        return response
    }

    /// Ends a sign-in with the reply of the issuer.
    func logIn(_ call: Call) async throws -> Response {
        let fields = try await call.fields()
        let reply = try OIDCSignIns.Reply(in: fields, code: "code")
        let device = try DeviceToken.checked(try fields.optionalText("deviceToken"))
        let account = try await signIns.finish(reply, under: call.profile, language: call.mailLanguage)
        let step = SignInFinish.FirstStep(
            account: account, credentials: nil, device: device, remembered: try RememberCookie.token(of: call, fields))
        return try await finish.finish(step, call) { call.reply(account.view(tokens: $0)) }
    }
}

extension OIDCSignIns.Reply {
    /// Reads a ticket with the reply of its issuer.
    ///
    /// - Parameter code: the name of the field with the issuer's code.
    init(in fields: Fields, code: String) throws {
        self.init(
            ticket: try fields.text("ticket", upTo: 64), state: try fields.text("state", upTo: OIDCSignIns.longestText),
            code: try fields.text(code, upTo: OIDCSignIns.longestText), issuer: try fields.optionalText("iss"))
    }
}

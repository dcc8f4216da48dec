import Contract
import HTTP
import ServiceKit
import Wire

/// Keeps the refresh token of a browser in a cookie that no script can read, so that a script on the page can steal an access
/// token of minutes at most.
///
/// Native clients ask for it with `?refresh=cookie` on join, login, refresh and logout; the replies then carry an empty
/// `refreshToken`. Three things keep other sites from using the cookie: `SameSite=Strict`, the header `SesacKey`, which a page of
/// another origin cannot send without a preflight, and `Sec-Fetch-Site`.
enum RefreshCookie {
    static let name = "maru_refresh"
    private static let path = "/v1/auth"

    /// Whether the call wants its refresh token in the cookie.
    static func isWanted(_ call: Call) throws -> Bool { try call.profile.isNative && call.query("refresh") == "cookie" }

    /// The refresh token of a call: in its header, or in its cookie if the call asks for that; nil if it has none.
    static func token(of call: Call) throws -> String? {
        if try isWanted(call) {
            let site = call.request.headers.text("Sec-Fetch-Site") ?? "same-origin"
            guard site == "same-origin" else {
                throw Failure(.invalidToken, "A page of another origin cannot use the refresh cookie.")
            }
            return call.request.headers.text(.cookie).flatMap { CookieField($0)[name] }
        }
        return call.request.headers.text(.refreshToken)
    }

    /// Sets the cookie for the lifetime of the session, or clears it if there is no session.
    static func set(_ grant: Sessions.Grant?, in response: inout Response, for call: Call) throws {
        guard try isWanted(call), var cookie = SetCookie(name, grant?.tokens.refresh ?? "") else { return }
        cookie.path = path
        cookie.lifetime = grant.map { max(.zero, $0.session.expiresAt - .now) } ?? .zero
        cookie.isSecure = call.isSecure
        cookie.isStrict = true
        response.headers.append(.setCookie, cookie.text)
    }
}

extension Sessions.Tokens {
    /// The tokens as the body of a reply shows them: without the refresh token if it goes into the cookie.
    func shown(to call: Call) throws -> Sessions.Tokens {
        try RefreshCookie.isWanted(call) ? Sessions.Tokens(access: access, refresh: "") : self
    }
}

import Contract
import HTTP
import ServiceKit
import Wire

/// Keeps the token of a remembered device: in a cookie that no script can read for browsers that keep their refresh token in
/// one (`?refresh=cookie`), else in the app, which sends it as `rememberToken`.
enum RememberCookie {
    static let name = "maru_remember"
    private static let path = "/v1/users/login"

    /// The token of a call; nil if it has none.
    static func token(of call: Call, _ fields: Fields) throws -> String? {
        if try RefreshCookie.isWanted(call), let cookie = call.request.headers.text(.cookie) {
            return CookieField(cookie)[name]
        }
        return try fields.optionalText("rememberToken")
    }

    /// Sets the cookie.
    static func set(_ token: String, in response: inout Response, for call: Call) {
        guard var cookie = SetCookie(name, token) else { return }
        cookie.path = path
        cookie.lifetime = SignInTickets.memory
        cookie.isSecure = call.isSecure
        cookie.isStrict = true
        response.headers.append(.setCookie, cookie.text)
    }
}

import Contract
import HTTP
import ServiceKit
import Wire

extension Response {
    /// Sets the cookies of a reply with tokens, and keeps caches from storing the reply.
    mutating func attach(_ grant: Sessions.Grant, for call: Call) throws {
        headers.append(.cacheControl, "no-store")
        SocketCookie.set(grant, in: &self, for: call)
        try RefreshCookie.set(grant, in: &self, for: call)
    }
}

extension SocketCookie {
    /// Sets the cookie for the lifetime of the session.
    static func set(_ grant: Sessions.Grant, in response: inout Response, for call: Call) {
        guard let cookie = SetCookie(name, grant.socketToken) else { return }
        add(cookie, for: max(.zero, grant.session.expiresAt - .now), to: &response, call)
    }

    /// Clears the cookie.
    static func clear(in response: inout Response, for call: Call) {
        guard let cookie = SetCookie(name, "") else { return }
        add(cookie, for: .zero, to: &response, call)
    }

    private static func add(_ cookie: SetCookie, for lifetime: Duration, to response: inout Response, _ call: Call) {
        var cookie = cookie
        cookie.lifetime = lifetime
        cookie.isSecure = call.isSecure
        response.headers.append(.setCookie, cookie.text)
    }
}

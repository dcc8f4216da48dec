import HTTP
import ServiceKit
import Wire

/// The cookie that opens sockets: the operating system's cookie store carries it from an app's HTTP calls to its socket.
enum SocketCookie {
    private static let name = "maru_socket"

    /// Sets the cookie for as long as the session lasts.
    static func set(_ grant: Sessions.Grant, in response: inout Response, for call: Call) {
        let lifetime = max(0, (grant.session.expiresAt - .now).wholeMilliseconds / 1000)
        response.headers.append(.setCookie, line(grant.socketToken, lifetime, call))
    }

    /// Takes the cookie back.
    static func clear(in response: inout Response, for call: Call) {
        response.headers.append(.setCookie, line("", 0, call))
    }

    private static func line(_ value: String, _ lifetime: Int64, _ call: Call) -> String {
        let secure = call.isSecure ? "; Secure" : ""
        return "\(name)=\(value); Path=/; Max-Age=\(lifetime); HttpOnly; SameSite=Lax\(secure)"
    }
}

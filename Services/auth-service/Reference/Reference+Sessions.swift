import Contract
import HTTP

extension Reference {
    static let sessions = RouteGroup(
        "Sessions", "A session is one sign-in on one device. It owns a refresh token, and ends with it.",
        [
            RouteDescription(
                .everyone, .get, "/v1/auth/refresh", "Renews the access token",
                note: "For clients whose refresh token rotates, the reply has the next one, and the old one ends.",
                isOpen: true,
                parameters: [
                    .header("RefreshToken", "The refresh token; absent if it is in a cookie."), refreshCookie,
                ],
                reply: .json(
                    .object([
                        .has("accessToken", .text), .has("refreshToken", .text).only(.july2024, .native),
                    ])), errors: [.invalidToken, .expiredRefresh]),
            RouteDescription(
                .everyone, .get, "/v1/users/logout", "Ends this session", parameters: [refreshCookie]),
            RouteDescription(
                .everyone, .post, "/v1/users/deviceToken", "Sets the device token of this session",
                note: "Pushes go to it. An empty token ends them.", body: .json([.has("deviceToken", .text)]),
                errors: [.invalidRequest]),
            RouteDescription(
                .everyone, .get, "/v1/users/me/sessions", "Lists your sessions",
                reply: .json(.list(.entity(SessionView.entity)))),
            RouteDescription(.everyone, .delete, "/v1/users/me/sessions", "Ends all your sessions, this one too"),
            RouteDescription(
                .everyone, .delete, "/v1/users/me/sessions/{id}", "Ends one of your sessions", errors: [.notFound]),
        ])
}

extension SessionView {
    /// The form of `write`.
    static let entity = Schema.Entity(
        "Session", "A sign-in on one device.",
        [
            .has("session_id", .id), .has("app", .text, "The profile of its API key."),
            .has("current", .flag, "Whether it is the session of the call."), .has("createdAt", .time),
            .has("expiresAt", .time),
        ])
}

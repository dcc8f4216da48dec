import Contract
import HTTP
import ServiceKit
import Wire

/// Refreshing, listing and ending sessions.
struct SessionRoutes: Sendable {
    let sessions: Sessions
    let store: SessionStore

    func register(in routes: inout PublicRoutes) {
        routes.open(.get, "/v1/auth/refresh", refresh)
        routes.signedIn(.get, "/v1/users/logout", logOut)
        routes.signedIn(.get, "/v1/users/me/sessions", list)
        routes.signedIn(.delete, "/v1/users/me/sessions", endAll)
        routes.signedIn(.delete, "/v1/users/me/sessions/{id}", end)
    }

    func refresh(_ call: Call) async throws -> Response {
        guard let token = try RefreshCookie.token(of: call), !token.isEmpty else {
            throw Failure(.invalidToken, "A refresh token is required.")
        }
        let grant = try await sessions.renew(token, under: call.profile)
        let shown = try grant.tokens.shown(to: call)
        var response = call.reply { json in
            json.object { json in
                json.field("accessToken", shown.access)
                if call.profile.generation == .july2024 { json.field("refreshToken", shown.refresh) }
            }
        }
        try response.attach(grant, for: call)
        return response
    }

    func logOut(_ call: Call, _ caller: Caller) async throws -> Response {
        try await sessions.end(caller.session, of: caller.user)
        var response = call.done()
        SocketCookie.clear(in: &response, for: call)
        try RefreshCookie.set(nil, in: &response, for: call)
        return response
    }

    func list(_ call: Call, _ caller: Caller) async throws -> Response {
        let open = try await store.open(of: caller.user, at: .now)
        return call.reply(open.map { SessionView(session: $0, isCurrent: $0.id == caller.session) })
    }

    /// Ends all sessions of the caller, this one included.
    func endAll(_ call: Call, _ caller: Caller) async throws -> Response {
        try await sessions.endAll(of: caller.user)
        var response = call.done()
        SocketCookie.clear(in: &response, for: call)
        return response
    }

    func end(_ call: Call, _ caller: Caller) async throws -> Response {
        guard try await sessions.end(try call.id("id"), of: caller.user) else { throw Failure.notFound }
        return call.done()
    }
}

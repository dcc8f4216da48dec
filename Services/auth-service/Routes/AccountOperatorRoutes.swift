import Contract
import HTTP
import ServiceKit
import Wire

/// Accounts and sessions for operators.
struct AccountOperatorRoutes: Sendable {
    let accounts: OperatorAccounts

    func register(in routes: inout OperatorRoutes) {
        let user = "/operator/users/{id}"
        routes.look("users.find", "/operator/users", find)
        routes.look("users.show", user, show)
        routes.act("users.delete", .delete, user, delete)
        routes.act("users.disable", .put, user + "/disabled", disable)
        routes.act("users.enable", .delete, user + "/disabled", enable)
        routes.act("users.reset-second-factor", .delete, user + "/second-factor", resetSecondFactor)
        routes.act("users.export", .post, user + "/export", export)
        routes.look("users.export-state", user + "/export", exportState)
        routes.look("sessions.list", user + "/sessions", listSessions)
        routes.act("users.sign-out", .delete, user + "/sessions", signOut)
        routes.act("sessions.end", .delete, "/operator/sessions/{id}", endSession)
    }

    func registerInternal(in routes: inout InternalRoutes) { routes.add(DisabledRequest.self, disabled) }

    /// Tells another service which users are disabled or deleted.
    func disabled(_ request: DisabledRequest) async throws -> UsersReply {
        UsersReply(users: try await accounts.store.disabled(among: request.users))
    }

    // MARK: Accounts

    func find(_ call: InternalCall) async throws -> Response {
        let found = try await accounts.find(try call.query("text") ?? "")
        return call.list("users", found) { account, json in json.account(account) }
    }

    func show(_ call: InternalCall) async throws -> Response {
        let account = try await accounts.show(try call.id("id"))
        return call.reply { json in json.account(account) }
    }

    func delete(_ call: InternalCall) async throws -> Response {
        let messages = try call.query("messages") ?? "keep"
        guard ["keep", "delete"].contains(messages) else { throw Failure.invalid("messages must be keep or delete.") }
        try await accounts.delete(try call.id("id"), deletesMessages: messages == "delete")
        return call.done()
    }

    func disable(_ call: InternalCall) async throws -> Response {
        Self.ended(try await accounts.disable(try call.id("id")), call)
    }

    func enable(_ call: InternalCall) async throws -> Response {
        try await accounts.enable(try call.id("id"))
        return call.done()
    }

    func resetSecondFactor(_ call: InternalCall) async throws -> Response {
        Self.ended(try await accounts.resetSecondFactor(try call.id("id")), call)
    }

    // MARK: Exports

    /// Orders an export. Its link is for the owner: see `exportState`. The audit logs of workspaces tell that an operator's
    /// command has ordered it.
    func export(_ call: InternalCall) async throws -> Response {
        let user: UserID = try call.id("id")
        _ = try await accounts.show(user)
        return reply(
            try await accounts.exports.request(user, from: call.request.peerHost, app: "maructl"), call)
    }

    func exportState(_ call: InternalCall) async throws -> Response {
        reply(try await accounts.exports.state(of: try call.id("id")), call)
    }

    private func reply(_ state: ExportState, _ call: InternalCall) -> Response {
        call.reply { json in
            json.object { json in
                json.field("state", state.name)
                if case .ready(let download) = state {
                    json.field("url", "/v1" + accounts.exports.links.url(of: download))
                    json.field("expiresAt", download.expiresAt)
                }
            }
        }
    }

    // MARK: Sessions

    func listSessions(_ call: InternalCall) async throws -> Response {
        let open = try await accounts.sessions.store.open(of: try call.id("id"), at: .now)
        return call.list("sessions", open) { session, json in
            json.object { json in
                json.field("session_id", session.id.description)
                json.field("app", session.profile)
                json.field("createdAt", session.createdAt)
                json.field("expiresAt", session.expiresAt)
            }
        }
    }

    func signOut(_ call: InternalCall) async throws -> Response {
        Self.ended(try await accounts.signOut(try call.id("id")), call)
    }

    func endSession(_ call: InternalCall) async throws -> Response {
        try await accounts.end(try call.id("id"))
        return Self.ended(1, call)
    }

    private static func ended(_ sessions: Int, _ call: InternalCall) -> Response {
        call.reply { json in json.object { $0.field("sessionsEnded", sessions) } }
    }
}

extension JSONWriter {
    fileprivate mutating func account(_ account: OperatorAccount) {
        object { json in
            json.field("user_id", account.id.description)
            json.field("state", account.state)
            json.field("nickname", account.nickname)
            json.field("email", account.email)
            json.field("emailVerified", account.isEmailVerified)
            if let phone = account.phone { json.field("phone", phone) }
            if let provider = account.provider { json.field("provider", provider) }
            if let language = account.language { json.field("language", language) }
            json.field("createdAt", account.createdAt)
            if let at = account.disabledAt { json.field("disabledAt", at) }
            if let at = account.deletedAt { json.field("deletedAt", at) }
            if let at = account.mailBouncedAt { json.field("mailBouncedAt", at) }
            guard let access = account.access else { return }
            json.field("sessions", access.sessions)
            json.field("devices", access.devices)
            json.field("secondFactor", access.hasSecondFactor)
        }
    }
}

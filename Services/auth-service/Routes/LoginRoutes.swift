import Contract
import HTTP
import ServiceKit

/// How members come in.
struct LoginRoutes: Sendable {
    let accounts: Accounts
    let sessions: Sessions
    let autoJoin: AutoJoin

    func register(in routes: inout PublicRoutes) {
        routes.open(.post, "/v1/users/login", logIn)
    }

    func logIn(_ call: Call) async throws -> Response {
        let fields = try await call.fields()
        let email = try? EmailAddress(try fields.text("email"))
        let password = try fields.text("password")
        let device = try DeviceToken.checked(try fields.optionalText("deviceToken"))
        let account = try await accounts.logIn(email, password: password)
        return try await letIn(account, device: device, call)
    }

    private func letIn(_ account: Account, device: String?, _ call: Call) async throws -> Response {
        try await autoJoin.enter(account.id, under: call.profile)
        let grant = try await sessions.open(account.id, under: call.profile, device: device)
        var response = call.reply(LoginView(account: account, tokens: grant.tokens))
        SocketCookie.set(grant, in: &response, for: call)
        return response
    }
}

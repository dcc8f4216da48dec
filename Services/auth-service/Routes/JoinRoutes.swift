import Contract
import HTTP
import ServiceKit

/// Creating an account with a password.
struct JoinRoutes: Sendable {
    let accounts: Accounts
    let sessions: Sessions
    let autoJoin: AutoJoin
    let newDevices: NewDevices
    let joins: JoinThrottle

    func register(in routes: inout PublicRoutes) {
        routes.open(.post, "/v1/users/validation/email", validateEmail)
        routes.open(.post, "/v1/users/join", join)
    }

    func validateEmail(_ call: Call) async throws -> Response {
        let email = try EmailAddress(try await call.fields().text("email"))
        try await accounts.requireUnused(email)
        return call.done()
    }

    func join(_ call: Call) async throws -> Response {
        let fields = try await call.fields()
        let new = Accounts.NewAccount(
            email: try EmailAddress(try fields.text("email")),
            password: try Self.password(try fields.text("password"), for: call),
            nickname: try ProfileRules.nickname(try fields.text("nickname")),
            phone: try ProfileRules.phone(try fields.optionalText("phone")), language: call.mailLanguage)
        let device = try DeviceToken.checked(try fields.optionalText("deviceToken"))
        try joins.admit(call.address)
        try accounts.requireHashCapacity(for: .join)
        let account = try await accounts.join(new)
        try await autoJoin.joinWorkspaces(account.id, under: call.profile)
        let grant = try await sessions.open(account.id, under: call.profile, from: call.address, device: device)
        await newDevices.signedIn(account.id, on: call)
        var response = call.created(account.view(tokens: try grant.tokens.shown(to: call)))
        try response.attach(grant, for: call)
        return response
    }

    /// Shipped apps check passwords themselves, by a rule without the list of common ones.
    private static func password(_ text: String, for call: Call) throws(Failure) -> String {
        call.profile.isNative ? try Password.uncommon(text) : try Password.checked(text)
    }
}

import Contract
import HTTP
import ServiceKit

/// How members come in.
struct LoginRoutes: Sendable {
    let accounts: Accounts
    let gate: LoginGate
    let sessions: Sessions
    let autoJoin: AutoJoin
    let social: SocialAccounts
    let kakao: Kakao
    let apple: Apple

    func register(in routes: inout PublicRoutes) {
        routes.open(.post, "/v1/users/login", logIn)
        routes.open(.post, "/v1/users/login/kakao", logInWithKakao)
        routes.open(.post, "/v1/users/login/apple", logInWithApple)
    }

    func logIn(_ call: Call) async throws -> Response {
        let fields = try await call.fields()
        let text = try fields.text("email", upTo: EmailAddress.longest)
        // What is no email is nobody's, and is told no differently.
        let email = try? EmailAddress(text)
        let password = try fields.text("password", upTo: Password.longestInBytes)
        let device = try DeviceToken.checked(try fields.optionalText("deviceToken"))
        try accounts.requireRoom()
        let account = try await gate.attempt(email, from: call.address) {
            try await accounts.logIn(email, password: password)
        }
        return try await letIn(account, device: device, call) { call.reply(LoginView(account: account, tokens: $0)) }
    }

    func logInWithKakao(_ call: Call) async throws -> Response {
        let fields = try await call.fields()
        let token = try fields.text("oauthToken", upTo: Kakao.longestToken)
        let device = try DeviceToken.checked(try fields.optionalText("deviceToken"))
        return try await letIn(try await kakao.person(of: token), device: device, call)
    }

    func logInWithApple(_ call: Call) async throws -> Response {
        let fields = try await call.fields()
        let token = try fields.text("idToken", upTo: Apple.longestToken)
        let device = try DeviceToken.checked(try fields.optionalText("deviceToken"))
        // The name is in the client's first answer from Apple only, never in the token; later ones bring none or an empty one.
        let given = try fields.optionalText("nickname") ?? ""
        let nickname = given.isEmpty ? nil : try ProfileRules.nickname(given)
        return try await letIn(try await apple.person(of: token, nickname: nickname), device: device, call)
    }

    private func letIn(_ person: SocialPerson, device: String?, _ call: Call) async throws -> Response {
        let account = try await social.account(of: person)
        return try await letIn(account, device: device, call) { call.reply(account.view(tokens: $0)) }
    }

    private func letIn(
        _ account: Account, device: String?, _ call: Call, _ reply: (TokensView) -> Response
    ) async throws -> Response {
        try await autoJoin.enter(account.id, under: call.profile)
        let grant = try await sessions.open(account.id, under: call.profile, device: device)
        var response = reply(grant.tokens)
        SocketCookie.set(grant, in: &response, for: call)
        return response
    }
}

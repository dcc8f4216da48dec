import Contract
import HTTP
import ServiceKit

/// Logging in with a password, Kakao or Apple.
struct LoginRoutes: Sendable {
    let accounts: Accounts
    let throttle: LoginThrottle
    let finish: SignInFinish
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
        // Text that is not an email gets the same reply as an unknown email.
        let email = try? EmailAddress(text)
        let password = try fields.text("password", upTo: Password.longestInBytes)
        let device = try DeviceToken.checked(try fields.optionalText("deviceToken"))
        try accounts.requireHashCapacity(for: .knownPair)
        let signIn = try await throttle.attempt(email, from: call.address) { isKnownPair in
            try await accounts.logIn(email, password: password, isKnownPair: isKnownPair)
        }
        let step = SignInFinish.FirstStep(
            account: signIn.account, credentials: signIn.credentials, device: device,
            remembered: try RememberCookie.token(of: call, fields))
        return try await finish.finish(step, call) { call.reply(LoginView(account: signIn.account, tokens: $0)) }
    }

    func logInWithKakao(_ call: Call) async throws -> Response {
        let fields = try await call.fields()
        let token = try fields.text("oauthToken", upTo: Kakao.longestToken)
        let device = try DeviceToken.checked(try fields.optionalText("deviceToken"))
        return try await logIn(try await kakao.identity(of: token), device: device, call, fields)
    }

    func logInWithApple(_ call: Call) async throws -> Response {
        let fields = try await call.fields()
        let token = try fields.text("idToken", upTo: Apple.longestToken)
        let device = try DeviceToken.checked(try fields.optionalText("deviceToken"))
        // Apple gives a client the name at the first sign-in only and never puts it into the token; later calls bring
        // none.
        let given = try fields.optionalText("nickname") ?? ""
        let nickname = given.isEmpty ? nil : try ProfileRules.nickname(given)
        return try await logIn(try await apple.identity(of: token, nickname: nickname), device: device, call, fields)
    }

    private func logIn(
        _ identity: SocialIdentity, device: String?, _ call: Call, _ fields: Fields
    ) async throws -> Response {
        let account = try await social.account(of: identity, language: call.mailLanguage)
        let step = SignInFinish.FirstStep(
            account: account, credentials: nil, device: device, remembered: try RememberCookie.token(of: call, fields))
        return try await finish.finish(step, call) { call.reply(account.view(tokens: $0)) }
    }
}

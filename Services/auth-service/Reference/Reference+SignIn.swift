import Contract
import HTTP

extension Reference {
    static let signIn = RouteGroup(
        "Signing in", "Joining, and signing in by password, Kakao, Apple or OpenID Connect.",
        joining + passwords + providers + openID)

    private static let remember = Schema.Member.may(
        "rememberToken", .text, "Of a device that needs no second factor."
    ).only(.native)

    private static let joining = [
        RouteDescription(
            .everyone, .post, "/v1/users/validation/email", "Asks whether an email is free", isOpen: true,
            body: .json([email]), errors: [.invalidRequest, .duplicate]),
        RouteDescription(
            .everyone, .post, "/v1/users/join", "Creates an account", isOpen: true, parameters: [refreshCookie],
            body: .json([
                email,
                .has(
                    "password", .text(example: "Saessak-2024!"),
                    "At least 8 characters: upper and lower case, a digit and a sign."),
                .has("nickname", .text(longest: 30, example: "Anna")),
                .may("phone", .text(longest: 30), "Digits and hyphens."), deviceToken,
            ]),
            reply: .created(.entity(AccountView.user)), errors: [.invalidRequest, .duplicate]),
    ]

    private static let passwords = [
        RouteDescription(
            .everyone, .post, "/v1/users/login", "Signs in by password",
            note: "The same answer for an unknown email and a wrong password.", isOpen: true,
            parameters: [refreshCookie],
            body: .json([email, .has("password", .text(example: "Saessak-2024!")), deviceToken, remember]),
            reply: .json(.generations(january2024: .entity(LoginView.entity), july2024: .entity(AccountView.user))),
            errors: [.invalidRequest, .unknownAccount, .secondFactor]),
        RouteDescription(
            .native, .post, "/v1/users/login/second-factor", "Ends a sign-in with a code",
            note: "After E07. The code is of the authenticator app, or a recovery code.", isOpen: true,
            parameters: [refreshCookie],
            body: .json([
                .has("ticket", .text(longest: 64)), .has("code", .text(longest: 64, example: "123456")),
                .may("remember", .flag, "Whether this device needs no code for thirty days."), deviceToken,
            ]),
            reply: .json(.entity(AccountView.user)), errors: [.invalidRequest, .invalidToken, .notFound]),
    ]

    private static let providers = [
        RouteDescription(
            .everyone, .post, "/v1/users/login/kakao", "Signs in with Kakao",
            note: "Creates the account at the first sign-in.", isOpen: true, parameters: [refreshCookie],
            body: .json([.has("oauthToken", .text), deviceToken, remember]), reply: .json(.entity(AccountView.user)),
            errors: [.invalidRequest, .unknownAccount, .duplicate, .secondFactor]),
        RouteDescription(
            .everyone, .post, "/v1/users/login/apple", "Signs in with Apple",
            note: "Creates the account at the first sign-in. Apple tells the app the name then, and never again.",
            isOpen: true, parameters: [refreshCookie],
            body: .json([.has("idToken", .text), .may("nickname", .text), deviceToken, remember]),
            reply: .json(.entity(AccountView.user)),
            errors: [.invalidRequest, .unknownAccount, .duplicate, .secondFactor]),
    ]

    private static let openID = [
        RouteDescription(
            .native, .get, "/v1/auth/oidc", "Lists the issuers of OpenID Connect", isOpen: true,
            reply: .json(.object([.has("issuers", .list(.object([.has("name", .text), .has("title", .text)])))]))),
        RouteDescription(
            .native, .post, "/v1/auth/oidc/{issuer}", "Begins a sign-in at an issuer",
            note: "The app keeps the ticket and opens the address.", isOpen: true,
            body: .json([.has("redirect", .text, "An address of the app that is registered at the issuer.")]),
            reply: .json(.object([.has("url", .text), .has("ticket", .text), .has("expiresAt", .time)])),
            errors: [.invalidRequest, .notFound]),
        RouteDescription(
            .native, .post, "/v1/users/login/oidc", "Ends a sign-in with the issuer's reply", isOpen: true,
            parameters: [refreshCookie],
            body: .json([
                .has("ticket", .text(longest: 64)), .has("state", .text), .has("code", .text), .may("iss", .text),
                deviceToken, remember,
            ]),
            reply: .json(.entity(AccountView.user)),
            errors: [.invalidRequest, .invalidToken, .unknownAccount, .duplicate, .secondFactor]),
    ]
}

extension LoginView {
    /// The form of `write` for the first generation.
    static let entity = Schema.Entity(
        "Login", "The account and tokens of a sign-in.",
        [.has("user_id", .id), .has("nickname", .text), .has("accessToken", .text), .has("refreshToken", .text)])
}

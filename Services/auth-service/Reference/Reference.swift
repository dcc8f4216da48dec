import Contract

/// The part of auth-service in the reference of the API.
enum Reference {
    static let all = ServiceReference([
        signIn, sessions, accounts, credentials, secondFactor, blocks,
    ])

    /// The header that puts the refresh token into a cookie.
    static let refreshCookie = RouteDescription.Parameter.query(
        "refresh", .choice(["cookie"]), "Native clients: the refresh token is then in an HttpOnly cookie.")

    static let email = Schema.Member.has("email", .text(longest: EmailAddress.longest, example: "anna@example.com"))
    static let deviceToken = Schema.Member.may("deviceToken", .text, "For pushes to this device.")
}

import Contract
import HTTP

extension Reference {
    private static let code = Schema.Member.has("code", .text(longest: 64, example: "123456"), "Six digits by mail.")

    static let credentials = RouteGroup(
        "Email and password", "Codes by mail prove an address. They end after ten minutes or five tries.",
        [
            RouteDescription(
                .native, .post, "/v1/users/email/verification", "Sends a code to your address, or to a new one",
                body: .json([email]), errors: [.invalidRequest]),
            RouteDescription(
                .native, .put, "/v1/users/email/verification", "Verifies your address", body: .json([email, code]),
                errors: [.invalidRequest]),
            RouteDescription(
                .native, .post, "/v1/users/password/reset", "Sends a code for a new password",
                note: "The same answer for known and unknown addresses.", isOpen: true, body: .json([email]),
                errors: [.invalidRequest]),
            RouteDescription(
                .native, .put, "/v1/users/password/reset", "Sets a new password with a code",
                note: "All sessions end.", isOpen: true, body: .json([email, code, .has("password", .text)]),
                errors: [.invalidRequest]),
            RouteDescription(
                .native, .put, "/v1/users/me/password", "Changes your password", note: "Your other sessions end.",
                body: .json([.has("password", .text, "The old one."), .has("newPassword", .text)]),
                errors: [.invalidRequest, .unknownAccount]),
            RouteDescription(
                .native, .put, "/v1/users/me/email", "Changes your address",
                note: "The code was sent to the new address. Your other sessions end.",
                body: .json([.has("password", .text), email, code]), reply: .json(.entity(AccountView.entity)),
                errors: [.invalidRequest, .unknownAccount, .duplicate]),
        ])

    private static let recoveryCodes = Schema.object([
        .has("recoveryCodes", .list(.text), "Ten codes that work once each, shown this time alone.")
    ])
    private static let appCode = Schema.Member.has("code", .text(longest: 64, example: "123456"), "Of the app.")
    private static let path = "/v1/users/me/second-factor"

    static let secondFactor = RouteGroup(
        "Second factor", "A code of an authenticator app that each sign-in needs.",
        [
            RouteDescription(
                .native, .get, path, "Shows whether your second factor is on",
                reply: .json(
                    .object([.has("enabled", .flag), .has("recoveryCodes", .count, "How many codes are left.")]))),
            RouteDescription(
                .native, .post, path, "Begins to set up a second factor", note: "It counts once a code comes back.",
                body: .json(proof), reply: .json(.object([.has("secret", .text), .has("url", .text)])),
                errors: [.invalidRequest, .unknownAccount, .duplicate, .notFound]),
            RouteDescription(
                .native, .put, path, "Turns your second factor on", note: "Your other sessions end.",
                body: .json([appCode]), reply: .json(recoveryCodes), errors: [.invalidRequest, .notFound]),
            RouteDescription(
                .native, .delete, path, "Turns your second factor off", body: .json([appCode] + proof),
                errors: [.invalidRequest, .unknownAccount, .notFound]),
            RouteDescription(
                .native, .post, path + "/recovery-codes", "Makes new recovery codes", note: "The old ones end.",
                body: .json([appCode]), reply: .json(recoveryCodes), errors: [.invalidRequest, .notFound]),
        ])

    static let blocks = RouteGroup(
        "Blocks", "A blocked user cannot reach you, and is told nothing.",
        [
            RouteDescription(
                .native, .put, "/v1/users/{id}/block", "Blocks a user", errors: [.invalidRequest, .notFound]),
            RouteDescription(.native, .delete, "/v1/users/{id}/block", "Ends a block", errors: [.notFound]),
            RouteDescription(
                .native, .get, "/v1/users/me/blocks", "Lists the users that you block, the newest first",
                parameters: RouteDescription.Parameter.page,
                reply: .json(.page(of: .object([.has("user", .entity(MemberView.entity)), .has("blockedAt", .time)]))),
                errors: [.invalidRequest]),
        ])
}

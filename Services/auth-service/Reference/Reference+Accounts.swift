import Contract
import HTTP

extension Reference {
    static let accounts = RouteGroup(
        "Accounts", "Profiles, profile images, exports and deletion.", profiles + images + leaving)

    private static let profiles = [
        RouteDescription(
            .generation(.january2024), .get, "/v1/users/my", "Shows your account",
            reply: .json(.entity(AccountView.profile)), errors: [.notFound]),
        RouteDescription(
            .generation(.july2024), .get, "/v1/users/me", "Shows your account",
            reply: .json(.entity(AccountView.profile)), errors: [.notFound]),
        RouteDescription(
            .generation(.july2024), .put, "/v1/users/me", "Changes your profile", note: "What is absent stays.",
            body: .json([
                .may("nickname", .text(longest: 30, example: "Anna")),
                .may("phone", .text(longest: 30), "Null removes it."),
                .may("language", .choice(["ko", "en"]), "Of mails."),
            ]),
            reply: .json(.entity(AccountView.entity)), errors: [.invalidRequest]),
        RouteDescription(
            .generation(.july2024), .get, "/v1/users/{id}", "Shows another user",
            note: "Of a workspace that you share.", reply: .json(.entity(MemberView.entity)), errors: [.notFound]),
    ]

    private static let images =
        [
            RouteDescription(
                .generation(.july2024), .put, "/v1/users/me/image", "Changes your profile image",
                body: .multipart([.has("image", .file)]), reply: .json(.entity(AccountView.entity)),
                errors: [.invalidRequest])
        ] + [RouteDescription].files(of: ProfileImages.folder, "For any signed-in user.")

    private static let export = Schema.object([
        .has("state", .choice(["none", "pending", "failed", "ready"])), .may("url", .text, "Of a zip file, if ready."),
        .may("expiresAt", .time),
    ])

    private static let leaving = [
        RouteDescription(
            .native, .post, "/v1/users/me/export", "Orders an export of all your data", reply: .json(export)),
        RouteDescription(
            .native, .get, "/v1/users/me/export", "Shows the state of your export", reply: .json(export)),
        RouteDescription(
            .native, .get, "/v1/static/\(Exports.folder)/{name}", "Downloads an export",
            note: "With key and token, or with the signature of its link.",
            parameters: [.query("signature", .text, "Of the link.")], reply: .bytes,
            errors: [.invalidToken, .notFound, .invalidRequest]),
        RouteDescription(
            .native, .delete, "/v1/users/me", "Deletes your account",
            note: "E15 names the workspaces to hand over or delete first.",
            body: .json(
                proof + [.may("messages", .choice(["keep", "delete"]), "Your messages; they stay without it.")]),
            errors: [.invalidRequest, .unknownAccount, .notFound, .refused]),
    ]

    /// The proof of identity before a dangerous action: one of these members.
    static let proof: [Schema.Member] = [
        .may("password", .text, "Of an account with one."), .may("oauthToken", .text, "A fresh token of Kakao."),
        .may("idToken", .text, "A fresh token of Apple."),
        .may("authorizationCode", .text, "Of Apple, to end the permission there; or the issuer's code, with `ticket`."),
        .may("ticket", .text, "Of a new sign-in with a linked issuer of OpenID Connect."),
        .may("state", .text, "Of the issuer's reply."), .may("iss", .text, "Of the issuer's reply."),
    ]
}

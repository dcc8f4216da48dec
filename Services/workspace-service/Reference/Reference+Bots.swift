import Contract
import HTTP

extension Reference {
    private static let botsPath = workspace + "/bots"
    private static let tokens = botsPath + "/{bot_id}/tokens"
    private static let botManagers = "For owners and admins."
    private static let botName = Schema.text(longest: 30)
    fileprivate static let scopes = Schema.list(.choice(BotScope.allCases.map(\.rawValue)))

    static let bots = RouteGroup(
        "Bots", "Programs that are members of a workspace, and their tokens.",
        [
            RouteDescription(
                .native, .post, botsPath, "Makes a bot", note: botManagers, body: .json([.has("name", botName)]),
                reply: .created(.entity(BotView.entity)), errors: [.invalidRequest, .notFound, .notAllowed]),
            RouteDescription(
                .native, .get, botsPath, "Lists bots", note: botManagers,
                reply: .json(.page(of: .entity(BotView.entity))), errors: [.notFound, .notAllowed]),
            RouteDescription(
                .native, .delete, botsPath + "/{bot_id}", "Deletes a bot",
                note: "\(botManagers) Its tokens end at once, and its messages stay.", errors: [.notFound, .notAllowed]),
            RouteDescription(
                .native, .post, tokens, "Makes a token of a bot", note: "\(botManagers) The reply alone has the token.",
                body: .json([.has("name", botName), .has("scopes", scopes)]),
                reply: .created(.entity(BotTokenView.entity)), errors: [.invalidRequest, .notFound, .notAllowed]),
            RouteDescription(
                .native, .get, tokens, "Lists the tokens of a bot", note: botManagers,
                reply: .json(.page(of: .entity(BotTokenView.entity))), errors: [.notFound, .notAllowed]),
            RouteDescription(
                .native, .post, tokens + "/{token_id}/secret", "Replaces a token of a bot",
                note: "\(botManagers) The old one ends at once.", reply: .json(.entity(BotTokenView.entity)),
                errors: [.notFound, .notAllowed]),
            RouteDescription(
                .native, .delete, tokens + "/{token_id}", "Ends a token of a bot", note: "\(botManagers) At once.",
                errors: [.notFound, .notAllowed]),
        ])
}

extension BotView {
    /// The form of `write`.
    static let entity = Schema.Entity(
        "Bot", "A program that is a member of a workspace.",
        [
            .has("bot_id", .id, "The id of its user."), .has("name", .text), .may("createdBy", .id),
            .has("createdAt", .time),
        ])
}

extension BotTokenView {
    /// The form of `write`.
    static let entity = Schema.Entity(
        "BotToken", "A token of a bot.",
        [
            .has("token_id", .digits), .has("name", .text), .has("prefix", .text, "The first characters."),
            .has("scopes", Reference.scopes), .has("createdAt", .time), .may("usedAt", .time),
            .may("token", .text, "In the replies of its making and rotation."),
        ])
}

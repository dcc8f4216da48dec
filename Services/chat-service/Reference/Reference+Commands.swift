import Contract
import HTTP

extension Reference {
    static let commands = RouteGroup(
        "Commands", "Members run them in rooms by `/name`, and bots answer.", ofWorkspaces + runs)

    private static let path = workspace + "/commands"
    private static let ofWorkspaces = [
        RouteDescription(
            .native, .post, path, "Registers a command",
            note: "For bots with the scope `commands`. The reply alone has the secret of the signatures.",
            body: .json([
                .has("name", .text(longest: 32), "Lowercase letters, digits, Korean syllables and hyphens."),
                .has("description", .text(longest: 200)),
                .may("hint", .text(longest: 100), "The text that may follow the name."),
                .has("url", .text, "Where the bot is called. It must be a public address."),
            ]), reply: .created(.entity(CommandView.entity)),
            errors: [.invalidRequest, .duplicate, .notFound, .notAllowed]),
        RouteDescription(
            .native, .get, path, "Lists the commands of a workspace", note: "For all members, by name.",
            reply: .json(.page(of: .entity(CommandView.entity))), errors: [.notFound]),
        RouteDescription(
            .native, .delete, path + "/{command_id}", "Deletes a command",
            note: "For its bot, and for owners and admins.", errors: [.notFound, .notAllowed]),
    ]

    private static let runs = native(
        .post, ofRooms: "/commands", "Runs a command",
        note: "The bot answers within three seconds, or later: with a message of the room, or for you alone.",
        body: .json([
            .has("name", .text(longest: 32)), .may("text", .text(longest: SendRequest.maxContent)),
            .may("thread", .seq, "The `seq` of the root of a thread, for an answer in it."),
        ]), errors: [.invalidRequest, .notAllowed, .botFailed]
    ) { message in
        .json(
            .object([
                .has("run_id", .digits), .has("state", .choice(["answered", "waiting"])),
                .may("answer", .object(PrivateAnswer.members), "For you alone."),
                .may("message", message, "The answer to everybody."),
            ]))
    }
}

extension CommandView {
    /// The form of `write`.
    static let entity = Schema.Entity(
        "Command", "A command of a bot.",
        [
            .has("command_id", .id), .has("name", .text), .has("description", .text), .may("hint", .text),
            .has("bot_id", .id), .has("createdAt", .time), .may("url", .text, "For its bot alone."),
            .may("secret", .text, "Of the signatures, once."),
        ])
}

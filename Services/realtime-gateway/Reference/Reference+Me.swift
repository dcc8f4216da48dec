import Contract

extension Reference {
    static let me = NamespaceReference(
        "me", at: MeEvent.namespace,
        "One socket for all rooms of a native client. It is admitted by the cookie, a bearer token or `auth.token`; "
            + "`auth.cursors` is `{\"<room>\": [seq, rev]}` and names what the client has.",
        for: [.native], messages + people + own + calls)

    private static let thread = Schema.Member.may("thread", .seq, "The `seq` of the root of a thread.")
    private static let counts: [Schema.Member] = [.has("unreadCount", .count), .has("mentionCount", .count)]

    private static let messages: [NamespaceReference.Event] = [
        .toClient(
            "ready", "The first event: all rooms of all workspaces.",
            .object([
                .has("session", .digits), .has("user", .entity(MemberView.entity)),
                .has("rooms", .list(.named("RoomSummary"))), .has("settings", .named("Settings")),
                .has("serverTime", .time),
                .may(
                    "unavailable", .list(.id),
                    "The workspaces whose rooms are missing because the database cannot be reached. Keep what you have of them: "
                        + "`joined` follows for each room."),
            ])),
        .toClient("message", "A new message.", .object([room, .has("message", message)])),
        .toClient("changed", "A message as it is after a change.", .object([room, .has("message", message)])),
        .toClient(
            "gap", "More than 500 messages or changes are missing; load them by HTTP.",
            .object([
                room, .has("from", .seq), .has("to", .seq), .may("afterRev", .count), .may("toRev", .count),
            ])),
        .toClient("joined", "You are in the room now.", .object([room])),
        .toClient("left", "You are no longer in the room; nothing of it comes after this.", .object([room])),
    ]

    private static let change = Schema.Member.has(
        "type", .choice(["created", "edited", "deleted", "entered", "gone"]))

    private static let people: [NamespaceReference.Event] = [
        .toClient(
            "room", "A channel was created, changed or deleted.",
            .either([
                .object([change, .has("workspace_id", .id), room] + ChannelView.entity.members),
                .object([change, .has("workspace_id", .id), room, .has("channel_id", .id)]),
            ])),
        .toClient(
            "workspace", "A workspace was created, changed or deleted. Without a view: read it again.",
            .either([
                .object([change] + WorkspaceView.entity.members), .object([change, .has("workspace_id", .id)]),
            ])),
        .toClient(
            "member", "A member came to or left a workspace, or a channel.",
            .either([
                .object(
                    [change, .has("workspace_id", .id), .may("room", .text)] + MemberView.entity.members),
                .object([change, .has("workspace_id", .id), .may("room", .text), .has("user_id", .id)]),
            ])),
        .toClient(
            "profile", "A user changed their profile, or deleted the account.",
            .either([.object([change] + MemberView.entity.members), .object([change, .has("user_id", .id)])])),
        .toClient("typing", "A user types; valid for six seconds.", .object([room, thread, .has("user_id", .id)])),
        .toClient(
            "presence", "The states of watched users.",
            .object([.has("users", .map(.choice(["online", "away", "offline"])))])),
    ]

    private static let own: [NamespaceReference.Event] = [
        .toClient(
            "read", "A read marker has moved; your own devices are told the counts.",
            .object([
                room, .has("user_id", .id), .has("seq", .seq), .may("unreadCount", .count),
                .may("mentionCount", .count),
            ])),
        .toClient("badge", "The unread messages and mentions in all workspaces.", .object(counts)),
        .toClient("settings", "Another device changed your settings; read them again.", .object([])),
        .toClient("draft", "Another device changed a draft; read it again.", .object([room])),
        .toClient("notify", "Another device changed what a room pushes.", .object([room])),
        .toClient("commandAnswer", "A bot answered your command later, for you alone.", .object(PrivateAnswer.members)),
        .toClient("sessionEnded", "Before the close: the session has ended.", .object([.has("reason", .text)])),
    ]

    private static let calls: [NamespaceReference.Event] = [
        .toServer(
            "send", "Sends a message, as by HTTP. A repeated `client_id` is one message.",
            .object([
                room, .has("content", .text), .has("client_id", .text(longest: 64)), thread,
                .may("toRoom", .flag, "Whether a reply is in the timeline too."),
            ]), reply: .object([.has("message", message)])),
        .toServer(
            "read", "Moves your read marker, of a room or a thread.", .object([room, .has("seq", .seq), thread]),
            reply: .object([.has("seq", .seq)])),
        .toServer(
            "typing", "Tells the others that you type; once in three seconds.", .object([room, thread]),
            reply: .object([])),
        .toServer(
            "presence", "Replaces the users that you watch, or says your own state.",
            .object([
                .may("users", .list(.id, atMost: 500)), .may("state", .choice(["active", "away"])),
            ]), reply: .object([])),
        .toServer(
            "history", "Reads messages or changes, as by HTTP; the newest ones without a place.",
            .object([
                room, .may("beforeSeq", .seq), .may("afterSeq", .seq), .may("afterRev", .count),
                .may("limit", .integer(1...500), "At most 200 messages, or 500 changes."),
            ]),
            reply: .either([
                .list(message), .object([.has("items", .list(message)), .has("rev", .count), .has("complete", .flag)]),
            ])),
    ]
}

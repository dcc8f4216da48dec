import Contract
import HTTP

extension Reference {
    private static let rooms = Schema.list(.entity(RoomSummaryView.entity))

    static let lists = RouteGroup(
        "Rooms", "All rooms of a user, as a home screen shows them.",
        [
            RouteDescription(
                .everyone, .get, workspace + "/rooms", "Lists your rooms with last message and unread count",
                parameters: [.query("with", .choice(["threads"]), "Native: also the counts of all followed threads.")],
                reply: .json(
                    .either([
                        rooms,
                        .object([
                            .has("threads", .object([.has("unreadCount", .count), .has("mentionCount", .count)])),
                            .has("rooms", rooms),
                        ]),
                    ])), errors: [.invalidRequest, .notFound])
        ]
            + native(
                .get, ofRooms: "/readers", "Shows how far the members have read",
                note: "Members who do not share it are left out. A room of more than 200 members replies with counts.",
                errors: []
            ) { _ in
                .json(
                    .list(
                        .either([
                            .object([.has("user_id", .id), .has("seq", .seq)]),
                            .object([.has("seq", .seq), .has("count", .count)]),
                        ])))
            })

    static let search = RouteGroup(
        "Search", "Messages by their text, and names for a quick switcher.",
        [
            RouteDescription(
                .native, .get, workspace + "/search", "Searches messages",
                note:
                    "Words are all required, `\"…\"` is a phrase, `-word` excludes. With `keyword` in the place of `q` it "
                    + "searches channels and members, as for shipped apps.",
                parameters: [
                    .query("q", .text(longest: SearchRequest.maxLength), "The words."),
                    .query("from", .text, "Only of this user: an id or a nickname."),
                    .query("in", .text, "Only in this room: a key or a name."),
                    .query("has", .choice(["file", "image", "link", "reaction"]), "Only with one."),
                    .query("before", .text, "Only before this day or time."),
                    .query("after", .text, "Only after this day or time."),
                    .query(
                        "zone", .text,
                        "The IANA time zone of days, such as `Asia/Seoul`. Without it, that of your do-not-disturb hours, "
                            + "or UTC."),
                    .query("sort", .choice(["recent", "best"]), "`recent` without it."),
                    .query("keyword", .text, "A part of a name of a channel or member."),
                ] + RouteDescription.Parameter.page,
                reply: .json(.either([hits, .entity(WorkspaceView.detail)])), errors: [.invalidRequest, .notFound]),
            RouteDescription(
                .native, .get, workspace + "/find", "Finds users, channels and DMs by name",
                note: "At most ten of each, the best first.",
                parameters: [
                    .query("q", .text(longest: SearchRequest.maxLength), "A part of a name.", isRequired: true)
                ],
                reply: .json(.entity(FoundNamesView.entity)), errors: [.invalidRequest, .notFound]),
        ])

    private static let hits = Schema.object([
        .has(
            "items",
            .list(
                .object([
                    .has("room", room), .has("message", message),
                    .has("highlights", .list(.list(.count)), "Start and length in UTF-16 units of `content`."),
                ]))), .has("next", .optional(.text)),
        .has("complete", .flag, "Whether the search ended within its time."),
    ])
}

extension FoundNamesView {
    /// The form of `write`.
    static let entity = Schema.Entity(
        "FoundNames", "What a quick switcher shows.",
        [
            .has("users", .list(.entity(MemberView.entity))),
            .has(
                "channels",
                .list(.object([.has("channel_id", .id), .has("name", .text), .has("isMember", .flag)]))),
            .has("dms", .list(.object([.has("room_id", .id), .has("user", .entity(MemberView.entity))]))),
        ])
}

extension RoomSummaryView {
    private static let draft: [Schema.Member] = [.has("content", .text), .has("updatedAt", .time)]

    /// The form of `write`.
    static let entity = Schema.Entity(
        "RoomSummary", "A channel or a DM as its home screen shows it.",
        [
            .may("room", Reference.room, "On `/me` sockets.").only(.native),
            .may("workspace_id", .id, "On `/me` sockets.").only(.native),
            .may("channel_id", .id, "Of a channel."), .may("name", .text, "Of a channel."),
            .may("room_id", .id, "Of a DM."), .may("user", .entity(MemberView.entity), "The other user of a DM."),
            .may("lastMessage", Reference.message), .may("lastMessageShortened", .flag),
            .has("lastSeq", .seq), .has("rev", .count).only(.native), .has("readSeq", .seq),
            .has("unreadCount", .count), .may("lastReadSeq", .seq).only(.native),
            .may("mentionCount", .count).only(.native),
            .may("notify", Reference.level).only(.native), .may("mutedUntil", .time).only(.native),
            .may("draft", .object(draft)).only(.native),
            .may("threadDrafts", .list(.object([.has("thread", .seq)] + draft))).only(.native),
            .may("draftsOmitted", .flag, "On `/me` sockets: read the drafts with the rooms of the workspace.").only(
                .native),
        ])
}

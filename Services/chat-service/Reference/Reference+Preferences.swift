import Contract
import HTTP

extension Reference {
    static let level = Schema.choice(["all", "mentions", "none"])
    private static let notify: [Schema.Member] = [.has("level", level, "What is pushed."), .may("mutedUntil", .time)]
    private static let settings = Schema.Entity(
        "Settings", "What others see of a user, and when nothing is pushed.",
        [
            .has("readReceipts", .flag), .has("presence", .flag), .has("typing", .flag),
            .may(
                "doNotDisturb",
                .object([
                    .has("from", .text(example: "22:30")), .has("to", .text(example: "07:00")),
                    .has("zone", .text(example: "Asia/Seoul")),
                ]), "Absent: off."),
            .has("keywords", .list(.text(longest: 50), atMost: 20), "Words that push like a mention."),
        ])

    static let preferences = RouteGroup(
        "Preferences", "Settings, notification levels, drafts and limits.",
        [
            RouteDescription(
                .native, .get, "/v1/users/me/settings", "Shows your settings", reply: .json(.entity(settings))),
            RouteDescription(
                .native, .put, "/v1/users/me/settings", "Changes your settings", body: .json(settings.members),
                reply: .json(.entity(settings)), errors: [.invalidRequest]),
            RouteDescription(
                .native, .get, "/v1/users/me/limits", "Shows the limits of messages, files and storage",
                reply: .json(.entity(LimitsView.entity))),
        ]
            + native(
                .put, ofRooms: "/notify", "Chooses what a room pushes", note: "Unread counts go on.",
                body: .json(notify), errors: [.invalidRequest]
            ) { _ in .json(.object(notify)) }
            + native(
                .put, ofRooms: "/draft", "Keeps a draft for all your devices",
                note: "An empty content clears it. The last writer wins. At most 500.",
                body: .json([
                    .has("content", .text(longest: 10_000)),
                    .may("thread", .integer(1...Int.max), "The `seq` of the message to reply to."),
                ]), errors: [.invalidRequest]
            ) { _ in .done })

    static let scheduled = RouteGroup(
        "Scheduled messages", "Messages that the server sends for you, within two seconds of their time.",
        native(
            .post, ofRooms: "/scheduled", "Schedules a message", note: "Up to 120 days ahead, at most 100.",
            parameters: [.header("Idempotency-Key", "Instead of `client_id`.")],
            body: .multipart([
                .may("content", .text(longest: SendRequest.maxContent)),
                .may("files", .list(.file, atMost: SendRequest.maxFiles)), .may("client_id", .text(longest: 64)),
                .may("thread", .integer(1...Int.max)), .may("toRoom", .flag), .has("at", .time),
            ]), errors: [.invalidRequest, .notAllowed]
        ) { _ in .created(.entity(ScheduledView.entity)) }
            + [
                RouteDescription(
                    .native, .get, "/v1/users/me/scheduled", "Lists your scheduled messages by time",
                    parameters: RouteDescription.Parameter.page, reply: .json(.page(of: .entity(ScheduledView.entity))),
                    errors: [.invalidRequest]),
                RouteDescription(
                    .native, .put, "/v1/users/me/scheduled/{scheduled_id}", "Changes text or time",
                    note: "A message that failed waits again.",
                    body: .json([.may("content", .text(longest: SendRequest.maxContent)), .may("at", .time)]),
                    reply: .json(.entity(ScheduledView.entity)), errors: [.invalidRequest, .notFound]),
                RouteDescription(
                    .native, .delete, "/v1/users/me/scheduled/{scheduled_id}", "Cancels a scheduled message",
                    errors: [.notFound]),
            ])
}

extension LimitsView {
    /// The form of `write`.
    static let entity = Schema.Entity(
        "Limits", "What a message and a user may hold.",
        [
            .has("message", .object([.has("characters", .count)])),
            .has(
                "files",
                .object([.has("count", .count), .has("bytes", .count, "Of a file."), .has("types", .list(.text))])),
            .has("storage", .object([.has("bytes", .count), .has("used", .count)])),
        ])
}

extension ScheduledView {
    /// The form of `write`.
    static let entity = Schema.Entity(
        "ScheduledMessage", "A message that is to be sent.",
        [
            .has("id", .id), .has("workspace_id", .id), .has("room", Reference.room), .has("content", .text),
            .has("at", .time), .has("createdAt", .time), .has("files", .list(.path)), .may("thread", .seq),
            .may("toRoom", .flag), .may("client_id", .text), .has("state", .choice(["waiting", "failed", "sent"])),
            .may("error", .object([.has("errorCode", .text), .has("detail", .text)]), "Why it failed."),
        ])
}

import Contract
import HTTP

extension Reference {
    private static let standing: [Schema.Member] = [
        .has("warnings", .count), .may("warnedAt", .time), .may("mutedUntil", .time), .has("suspended", .flag),
    ]
    private static let words: [Schema.Member] = [
        .has(
            "items",
            .list(
                .object([.has("word", .text(longest: 50)), .has("action", .choice(["reject", "mask"]))]), atMost: 500))
    ]
    static let kind = Schema.choice(["message", "user", "workspace"])
    static let reason = Schema.choice(Report.Reason.allCases.map(\.rawValue))
    static let answer = Schema.choice(["dismiss", "delete", "warn", "remove"])

    static let moderation = RouteGroup(
        "Reports and moderation", "Reports, warnings and filtered words.", reports + owners)

    private static let reports = [
        RouteDescription(
            .native, .post, "/v1/reports", "Reports a message, a user or a workspace",
            body: .json([
                .has("type", kind), .has("reason", reason), .may("text", .text(longest: 1000)),
                .may("room", room, "Of a message."), .may("seq", .seq, "Of a message."),
                .may("user_id", .id, "Of a user."), .may("workspace_id", .id, "Of a user or a workspace."),
            ]), reply: .created(.entity(ReportView.entity)), errors: [.invalidRequest, .notFound]),
        RouteDescription(
            .native, .get, workspace + "/reports", "Lists reports, the oldest first", note: "For owners and admins.",
            parameters: [.query("state", .choice(["open", "answered"]), "`open` without it.")]
                + RouteDescription.Parameter.page,
            reply: .json(.page(of: .entity(ReportView.entity))), errors: [.invalidRequest, .notFound, .notAllowed]),
        RouteDescription(
            .native, .put, workspace + "/reports/{report_id}", "Answers a report", note: "For owners and admins.",
            body: .json([.has("action", answer)]), reply: .json(.entity(ReportView.entity)),
            errors: [.invalidRequest, .notFound, .notAllowed, .refused]),
    ]

    private static let owners = [
        RouteDescription(
            .native, .get, workspace + "/standing", "Shows your standing", reply: .json(.object(standing)),
            errors: [.notFound]),
        RouteDescription(
            .native, .get, workspace + "/standings", "Lists members with warnings or limits",
            note: "For owners and admins.", parameters: RouteDescription.Parameter.page,
            reply: .json(.page(of: .object([.has("user_id", .id)] + standing))),
            errors: [.invalidRequest, .notFound, .notAllowed]),
        RouteDescription(
            .native, .put, workspace + "/standings/{user_id}", "Mutes or suspends a member",
            note: "For owners and admins, on members with a lower role. What is absent ends.",
            body: .json([.may("mutedUntil", .time), .may("suspended", .flag)]), reply: .json(.object(standing)),
            errors: [.invalidRequest, .notFound, .notAllowed]),
        RouteDescription(
            .native, .get, workspace + "/filters", "Shows the filtered words", note: "For owners and admins.",
            reply: .json(.object(words)), errors: [.notFound, .notAllowed]),
        RouteDescription(
            .native, .put, workspace + "/filters", "Sets the filtered words", note: "For owners and admins.",
            body: .json(words), reply: .json(.object(words)), errors: [.invalidRequest, .notFound, .notAllowed]),
    ]
}

extension ReportView {
    /// The form of `write` for reporters, and for owners and admins.
    static let entity = Schema.Entity(
        "Report", "A complaint. Owners and admins see more of it than its author does.",
        [
            .has("report_id", .id), .has("type", Reference.kind), .has("reason", Reference.reason), .has("text", .text),
            .has("createdAt", .time), .has("state", .choice(["open", "answered"])), .may("workspace_id", .id),
            .may("dueAt", .time), .may("action", Reference.answer), .may("answeredAt", .time),
            .may(
                "user",
                .object([.has("user_id", .id), .has("nickname", .text), .has("profileImage", .optional(.path))])),
            .may(
                "picture",
                .object([.has("state", .choice(["kept", "waiting", "lost"])), .may("path", .path)]),
                "The copy of the portrait, which stays after the user has replaced it. It has a path once it is kept."),
            .may("room", Reference.room), .may("seq", .seq),
            .may(
                "messages",
                .list(
                    .object([
                        .has("seq", .seq), .has("user_id", .id), .has("nickname", .text), .has("content", .text),
                        .has("files", .list(.path)), .has("createdAt", .time), .may("editedAt", .time),
                    ])), "Copies as they were."),
        ])
}

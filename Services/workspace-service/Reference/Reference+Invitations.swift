import Contract
import HTTP

extension Reference {
    static let invitations = RouteGroup(
        "Invitations", "Links and mails that let users in, and requests to be let in.", links + requests + settings)

    private static let links = [
        RouteDescription(
            .native, .post, workspace + "/invitations", "Makes a link, or sends a mail",
            note: "For owners and admins. The role must be lower than their own.",
            body: .json([
                .may("role", .choice(WorkspaceRole.assignable.map(\.rawValue)), "`member` without it."), channelIDs,
                .may("expiresIn", .count, "Seconds; 7 days without it."),
                .may("uses", .count, "Any number without it."),
                .may("email", .text, "Sends a mail instead of a link."), .may("language", .choice(["ko", "en"])),
            ]),
            reply: .created(.entity(InvitationView.entity)),
            errors: [.invalidRequest, .notFound, .notAllowed]),
        RouteDescription(
            .native, .get, workspace + "/invitations", "Lists invitations, the newest first",
            parameters: RouteDescription.Parameter.page, reply: .json(.page(of: .entity(InvitationView.entity))),
            errors: [.invalidRequest, .notFound, .notAllowed]),
        RouteDescription(
            .native, .delete, workspace + "/invitations/{invitation_id}", "Revokes an invitation",
            errors: [.notFound, .notAllowed]),
        RouteDescription(
            .native, .post, "/v1/workspaces/invitations/preview", "Shows what an invitation leads to",
            body: .json([.has("token", .text)]),
            reply: .json(
                .object([
                    .has(
                        "workspace",
                        .object([.has("workspace_id", .id), .has("name", .text), .has("description", .text)])),
                    .has("role", role), .may("invitedBy", .text, "A nickname."), .has("expiresAt", .time),
                ])), errors: [.invalidRequest, .notFound]),
        RouteDescription(
            .native, .post, "/v1/workspaces/invitations/accept", "Enters a workspace by an invitation",
            note: "A member does not use it up.", body: .json([.has("token", .text)]),
            reply: .json(.entity(WorkspaceView.entity)), errors: [.invalidRequest, .notFound, .refused]),
    ]

    private static let requests = [
        RouteDescription(
            .native, .post, workspace + "/join-requests", "Asks to be let in",
            note: "Where the settings allow it. A repeated request replaces the text.",
            body: .json([.may("text", .text(longest: 300))]),
            reply: .json(.object([.has("text", .text), .has("createdAt", .time)])),
            errors: [.invalidRequest, .duplicate, .notFound]),
        RouteDescription(
            .native, .get, workspace + "/join-requests", "Lists requests, the oldest first",
            note: "For owners and admins.", parameters: RouteDescription.Parameter.page,
            reply: .json(
                .page(
                    of: .object([
                        .has("user", .entity(MemberView.entity)), .has("text", .text), .has("createdAt", .time),
                    ]))), errors: [.invalidRequest, .notFound, .notAllowed]),
        RouteDescription(
            .native, .put, workspace + "/join-requests/{user_id}", "Decides about a request",
            body: .json([.has("action", .choice(["approve", "decline"]))]),
            errors: [.invalidRequest, .notFound, .notAllowed]),
        RouteDescription(.native, .delete, workspace + "/join-requests", "Takes back your request"),
    ]

    private static let options = Schema.object([
        .has("joinRequests", .flag, "Whether anybody may ask to be let in."), .has("requiresSecondFactor", .flag),
        .may("secondFactorGraceDays", .integer(0...30)), .may("secondFactorFrom", .time),
    ])

    private static let settings = [
        RouteDescription(
            .native, .get, workspace + "/settings", "Shows the settings of a workspace", reply: .json(options),
            errors: [.notFound, .notAllowed]),
        RouteDescription(
            .native, .put, workspace + "/settings", "Changes the settings of a workspace", note: "For the owner.",
            body: .json([
                .may("joinRequests", .flag), .may("requiresSecondFactor", .flag),
                .may("secondFactorGraceDays", .integer(0...30), "7 without it."),
            ]), reply: .json(options), errors: [.invalidRequest, .notFound, .notAllowed, .refused]),
        RouteDescription(
            .native, .get, workspace + "/second-factor", "Lists the members without a second factor",
            note: "For the owner.", parameters: RouteDescription.Parameter.page,
            reply: .json(
                .page(
                    of: .object([
                        .has("user", .entity(MemberView.entity)), .has("role", role), .may("dueAt", .time),
                        .has("lockedOut", .flag),
                    ]))), errors: [.invalidRequest, .notFound, .notAllowed]),
    ]
}

extension InvitationView {
    /// The form of `write`.
    static let entity = Schema.Entity(
        "Invitation", "A link or a mail that lets its holder into a workspace.",
        [
            .has("invitation_id", .id), .has("kind", .choice(["link", "mail"])),
            .has("state", .choice(["active", "used", "expired", "revoked"])), .has("role", Reference.role),
            .has("channels", .list(.digits)), .may("email", .text),
            .may("token", .text, "Of a link, for members that may offer its role."),
            .may("link", .text), .may("uses", .count, "The most uses; any number without it."), .has("used", .count),
            .may("createdBy", .id), .has("createdAt", .time), .has("expiresAt", .time),
        ])
}

import Contract
import HTTP

extension Reference {
    static let roles = RouteGroup(
        "Roles and audit log", "Owner, admins, members and guests, bans, and the record of what they did.",
        [
            RouteDescription(
                .native, .get, workspace + "/role", "Shows your role",
                reply: .json(
                    .object([
                        .has("role", role),
                        .has("actions", .list(.choice(WorkspaceAction.allCases.map(\.rawValue))), "What you may do."),
                        .may("secondFactorDueAt", .time, "When you need a second factor."),
                    ])), errors: [.notFound]),
            RouteDescription(
                .native, .get, workspace + "/roles", "Lists members with their roles, in the order of joining",
                parameters: [.query("role", role, "Only this role.")] + RouteDescription.Parameter.page,
                reply: .json(
                    .page(
                        of: .object([
                            .has("user", .entity(MemberView.entity)), .has("role", role), .has("joinedAt", .time),
                        ]))), errors: [.invalidRequest, .notFound, .notAllowed]),
            RouteDescription(
                .native, .put, workspace + "/members/{user_id}/role", "Changes a member's role",
                body: .json([.has("role", .choice(WorkspaceRole.assignable.map(\.rawValue))), channelIDs]),
                errors: [.invalidRequest, .notFound, .notAllowed, .refused]),
            RouteDescription(
                .native, .get, workspace + "/bans", "Lists banned users, the newest first",
                note: "For owners and admins.", parameters: RouteDescription.Parameter.page,
                reply: .json(
                    .page(
                        of: .object([
                            .has("user", .entity(MemberView.entity)), .may("bannedBy", .id), .has("bannedAt", .time),
                        ]))), errors: [.invalidRequest, .notFound, .notAllowed]),
            RouteDescription(
                .native, .put, workspace + "/bans/{user_id}", "Removes a user and keeps them out",
                errors: [.invalidRequest, .notFound, .notAllowed]),
            RouteDescription(
                .native, .delete, workspace + "/bans/{user_id}", "Ends a ban", errors: [.notFound, .notAllowed]),
            RouteDescription(
                .native, .get, workspace + "/audit", "Lists the audit log, the newest first",
                note: "For owners and admins. `action` is such as `member.banned`, or `member` for all that begin so.",
                parameters: [
                    .query("actor", .digits, "Only actions of this user."),
                    .query("user", .digits, "Only actions on this user."), .query("action", .text, "Only this action."),
                    .query("from", .time, "The earliest time."), .query("until", .time, "The latest time."),
                ] + RouteDescription.Parameter.page,
                reply: .json(.page(of: .entity(auditEntry))), errors: [.invalidRequest, .notFound, .notAllowed]),
        ])

    /// The form of an entry in `AuditRoutes.list`.
    private static let auditEntry = Schema.Entity(
        "AuditEntry", "An action in a workspace. Entries never change.",
        [
            .has("entry_id", .digits), .has("at", .time), .has("action", .text), .may("actor", .id),
            .may("user", .id, "The user that it concerns."), .may("subject", .text),
            .has("detail", .anyObject, "Depends on the action."), .may("address", .text), .may("app", .text),
            .may("session", .id),
        ])
}

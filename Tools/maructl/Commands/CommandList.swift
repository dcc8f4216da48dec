/// All commands, in the order of the help.
enum CommandList {
    static let all: [Command] = users + workspaces + rooms + money + operators + product

    private static let user = Command.Argument("user", .user)
    private static let workspace = Command.Argument("workspace")

    private static func sessionsEnded(_ path: String) -> Command.Action {
        .call(CallTemplate(.auth, "DELETE", path, .record))
    }

    private static let users: [Command] = [
        Command(
            "users find", [.init("text", .text)], "finds accounts by id, address or nickname",
            .call(
                CallTemplate(
                    .auth, "GET", "/operator/users", query: ["text"],
                    .list("users", columns: ["user_id", "state", "nickname", "email", "createdAt"])))),
        Command(
            "users show", [user], "shows an account: its state, ways in and times",
            .call(CallTemplate(.auth, "GET", "/operator/users/{user}", .record))),
        Command(
            "users workspaces", [user], "lists the workspaces of a user with their roles",
            .call(
                CallTemplate(
                    .workspace, "GET", "/operator/users/{user}/workspaces",
                    .list("workspaces", columns: ["workspace_id", "name", "role", "joinedAt"])))),
        Command(
            "users sign-out", [user], "ends all sessions of a user; their sockets close within a second",
            harm: "This ends all sessions of user {user}.", sessionsEnded("/operator/users/{user}/sessions")),
        Command(
            "users disable", [user], "ends all sessions of a user and refuses new ones",
            harm: "This keeps user {user} out until `users enable`.",
            .call(CallTemplate(.auth, "PUT", "/operator/users/{user}/disabled", .record))),
        Command(
            "users enable", [user], "lets a disabled user sign in again",
            .call(CallTemplate(.auth, "DELETE", "/operator/users/{user}/disabled", .done("enabled")))),
        Command(
            "users delete", [user],
            options: [.init("messages", .choice(["keep", "delete"]), "what becomes of their messages; keep")],
            "deletes an account as its owner could, and orders the erasure",
            harm: "This deletes the account of user {user} for good.",
            .call(
                CallTemplate(
                    .auth, "DELETE", "/operator/users/{user}", query: ["messages"], .done("deleted; erasure ordered")))),
        Command(
            "users export", [user], "orders a copy of all data of a user and prints its link when it is ready", .export),
        Command(
            "users reset-second-factor", [user],
            "turns the second factor off for an owner who has lost it, ends all sessions and tells them by mail",
            harm: "This turns off the second factor of user {user}: be sure that the owner asks.",
            sessionsEnded("/operator/users/{user}/second-factor")),
        Command(
            "sessions list", [user], "lists the open sessions of a user",
            .call(
                CallTemplate(
                    .auth, "GET", "/operator/users/{user}/sessions",
                    .list("sessions", columns: ["session_id", "app", "createdAt", "expiresAt"])))),
        Command(
            "sessions end", [.init("session")], "ends one session", harm: "This ends session {session}.",
            sessionsEnded("/operator/sessions/{session}")),
    ]

    private static let workspaces: [Command] = [
        Command(
            "workspaces find", [.init("text", .text)], "finds workspaces by id, name or the id of their owner",
            .call(
                CallTemplate(
                    .workspace, "GET", "/operator/workspaces", query: ["text"],
                    .list(
                        "workspaces", columns: ["workspace_id", "name", "owner_id", "members", "channels", "createdAt"])
                ))
        ),
        Command(
            "workspaces show", [workspace], "shows a workspace",
            .call(CallTemplate(.workspace, "GET", "/operator/workspaces/{workspace}", .record))),
        Command(
            "workspaces hand-over", [workspace, user],
            "makes a member the owner, where the owner is gone",
            harm: "This takes workspace {workspace} from its owner and gives it to user {user}.",
            .call(
                CallTemplate(
                    .workspace, "PUT", "/operator/workspaces/{workspace}/owner/{user}", .done("handed over")))),
        Command(
            "workspaces close", [workspace], "deletes a workspace with everything in it",
            harm: "This deletes workspace {workspace} with all its channels and messages.",
            .call(CallTemplate(.workspace, "DELETE", "/operator/workspaces/{workspace}", .done("closed")))),
        Command(
            "roles list", [workspace],
            options: [.init("role", .choice(["owner", "admin", "member", "guest"]), "only these members")],
            "lists the members of a workspace with their roles",
            .call(
                CallTemplate(
                    .workspace, "GET", "/operator/workspaces/{workspace}/members", query: ["role"],
                    .list("members", columns: ["user_id", "role", "joinedAt"])))),
        Command(
            "roles set", [workspace, user, .init("role", .choice(["admin", "member", "guest"]))],
            "gives a member another role",
            harm: "This makes user {user} a {role} of workspace {workspace}.",
            .call(
                CallTemplate(
                    .workspace, "PUT", "/operator/workspaces/{workspace}/members/{user}/role/{role}", .done("set")))),
        Command(
            "bans list", [workspace], "lists the users that may not come back to a workspace, the newest bans first",
            .call(
                CallTemplate(
                    .workspace, "GET", "/operator/workspaces/{workspace}/bans",
                    .list("bans", columns: ["user_id", "bannedBy", "bannedAt"])))),
        Command(
            "bans lift", [workspace, user], "lets a banned user come back by an invitation or a request",
            harm: "This lets user {user} come back to workspace {workspace}.",
            .call(
                CallTemplate(
                    .workspace, "DELETE", "/operator/workspaces/{workspace}/bans/{user}", .done("lifted")))),
    ]

    private static let rooms: [Command] = [
        Command(
            "rooms show", [.init("room", .text)], "shows a room, such as channel-7 or dm-4",
            .call(CallTemplate(.chat, "GET", "/operator/rooms/{room}", .record))),
        Command(
            "messages show", [.init("room", .text), .init("seq")],
            "tells when a message was committed and published, without its text",
            .call(CallTemplate(.chat, "GET", "/operator/rooms/{room}/messages/{seq}", .record))),
        Command(
            "reports list", [],
            options: [.init("state", .choice(["open", "answered"]), "open ones unless you say otherwise")],
            "lists the reports that operators answer, oldest first",
            .call(
                CallTemplate(
                    .chat, "GET", "/operator/reports", query: ["state"],
                    .list(
                        "items",
                        columns: ["report_id", "type", "reason", "workspace_id", "createdAt", "dueAt", "state"])))
        ),
        Command(
            "reports show", [.init("report")], "shows a report with the copies of its messages",
            .call(CallTemplate(.chat, "GET", "/operator/reports/{report}", .record))),
        Command(
            "reports answer", [.init("report"), .init("action", .choice(["dismiss", "delete", "warn", "remove"]))],
            "answers a report", harm: "This answers report {report} with: {action}.",
            .call(CallTemplate(.chat, "PUT", "/operator/reports/{report}/{action}", .record))),
        Command(
            "webhooks list", [workspace], "lists the outgoing webhooks of a workspace",
            .call(
                CallTemplate(
                    .chat, "GET", "/operator/workspaces/{workspace}/webhooks",
                    .list(
                        "webhooks",
                        columns: ["subscription_id", "receiver", "events", "channels", "on", "offReason", "createdAt"]))
            )),
        Command(
            "webhooks show", [.init("subscription")],
            options: [.init("state", .choice(["waiting", "delivered", "failed"]), "only these events")],
            "shows an outgoing webhook and its newest events",
            .call(CallTemplate(.chat, "GET", "/operator/webhooks/{subscription}", query: ["state"], .record))),
        Command(
            "webhooks replay", [.init("subscription"), .init("delivery")],
            "sends an event that has ended to its receiver again",
            .call(
                CallTemplate(
                    .chat, "POST", "/operator/webhooks/{subscription}/deliveries/{delivery}/replay", .record))),
        Command(
            "pushes show", [.init("room", .text), .init("seq")],
            "tells why a message was pushed to each member, or why not",
            .call(
                CallTemplate(
                    .realtime, "GET", "/operator/pushes/{room}/{seq}", .record))),
    ]

    private static let money: [Command] = [
        Command(
            "purchases list", [user], "lists the payments of a user",
            .call(
                CallTemplate(
                    .payment, "GET", "/operator/users/{user}/purchases",
                    .list(
                        "purchases",
                        columns: [
                            "purchase_id", "provider", "reference", "item", "amount", "status", "coins", "refunded",
                        ])))
        ),
        Command(
            "purchases show", [.init("purchase")], "shows a payment",
            .call(CallTemplate(.payment, "GET", "/operator/purchases/{purchase}", .record))),
        Command(
            "purchases refund", [.init("purchase")],
            "refunds a payment at its provider and takes the coins back",
            harm: "This pays payment {purchase} back and takes its coins back.",
            .call(CallTemplate(.payment, "DELETE", "/operator/purchases/{purchase}", .record))),
        Command(
            "ledger check", [], "compares the ledger with its own sums; exits with 1 if anything differs",
            .call(
                CallTemplate(
                    .payment, "GET", "/operator/ledger",
                    .list("differences", columns: ["kind", "subject", "ours", "theirs"]),
                    failingUnlessEmpty: "differences"))),
    ]

    private static let product: [Command] = [
        Command(
            "outboxes", [], "lists what waits in the outboxes, queues and streams of all services",
            .everywhere(
                path: "/operator/queues", list: "queues",
                columns: ["service", "queue", "waiting", "oldestSeconds", "underWay", "error"])),
        Command(
            "settings", [],
            options: [.init("service", .choice(ServiceName.allCases.map(\.rawValue)), "only this service")],
            "lists the settings in force and where they come from; secrets are not shown",
            .everywhere(
                path: "/operator/settings", list: "settings", columns: ["service", "name", "value", "secret", "source"])
        ),
        Command(
            "audit", [],
            options: [
                .init("operator", .text, "only acts of this operator"),
                .init("subject", .text, "only acts on this, such as users/5"),
                .init("act", .text, "only these acts, such as users or users.disable"),
                .init("limit", .id, "how many entries, 200 at most; 50"),
                .init("cursor", .id, "entries before this one"),
            ], "lists the acts of operators, newest first",
            .call(
                CallTemplate(
                    .workspace, "GET", "/operator/acts", query: ["operator", "subject", "act", "limit", "cursor"],
                    .list("acts", columns: ["at", "operator", "address", "act", "subject", "outcome"])))),
        Command(
            "doctor", [], "checks everything, and that a message is sent and heard; exits with 1 if anything is wrong",
            .doctor),
        Command(
            "migrate plan", [],
            "lists the migrations that the programs beside maructl would run, and what each holds up",
            .migrationPlan),
        Command(
            "capacity", [], options: CapacityDemand.options,
            "computes the cores, memory, disk and connections for a number of users; needs no instance", .capacity),
        Command("backup", [], "makes a backup: deploy/backup --help tells its options", .script("backup")),
        Command(
            "backups note", [.init("outcome", .choice(["begun", "done", "failed"]))],
            "records a backup that another program makes in the audit log",
            .call(CallTemplate(.workspace, "POST", "/operator/backups/{outcome}", .done("noted")))),
        Command("restore", [], "brings back a backup: deploy/restore --help tells its options", .script("restore")),
    ]
}

/// The statements that look into several parts of a schema that is divided by workspace, by reason.
enum WideStatements {
    static let all = batches.union(ofUsers).union(ofRooms).union(settings).union(operators).union(background)

    /// Batches of several workspaces: their rows name the workspace, and one statement writes them all.
    private static let batches: Set<String> = [
        "erase rests of messages", "recount threads", "raise revisions", "change messages", "remove reactions",
        "keep reactions for webhooks", "remove pins", "move mentions", "rooms to change", "messages to change",
        "counts of reactions", "reactions of users", "write messages", "write messages with threads and mentions",
        "find named messages", "closed rooms", "messages replied to", "raise roots of threads",
        "states of moved markers",
    ]

    /// Lists, badges and limits of a user in all workspaces.
    private static let ofUsers: Set<String> = [
        "unread mentions", "badges", "dms by id", "dms of user in all workspaces", "dms that user wrote in",
        "put draft", "drafts of user", "notification levels of user", "saved messages", "insert scheduled message",
        "scheduled messages of user", "change scheduled message", "cancel scheduled message", "insert report",
    ]

    /// Callers that know only a room, a file or a secret: they look for its workspace, or serve gateways, which ask for
    /// rooms of several.
    private static let ofRooms: Set<String> = [
        "workspace of dm", "names of rooms", "heads of rooms", "put history cursor", "find history cursor",
        "find files", "remove files", "mark removed files", "files that reports hold", "end run of command",
        "take run of command", "incoming webhook by secret",
    ]

    /// Settings of workspaces, which are named by their own ids.
    private static let settings: Set<String> = [
        "delete command", "insert incoming webhook", "incoming webhooks of channel", "rename incoming webhook",
        "rotate incoming webhook", "delete incoming webhook", "hold files of report", "held file", "report",
        "copies of reports", "answer report", "events of subscription", "replay event of webhook",
        "event of subscription", "insert subscription", "subscription by id", "change subscription",
        "rotate secret of subscription", "turn subscription on",
    ]

    /// The console of operators.
    private static let operators: Set<String> = [
        "message for operator", "room for operator", "overdue reports", "open reports",
    ]

    /// Work in the background: facts, erasure, exports, retention, scheduled messages, the search index and webhooks.
    private static let background: Set<String> = [
        "delete old runs of commands", "rooms to erase", "stop index of room", "erase messages",
        "erase read positions", "erase removals", "erase levels, drafts and scheduled messages",
        "note erased rooms", "exported levels", "exported drafts", "exported scheduled messages",
        "exported bookmarks", "exported read markers", "exported reactions", "exported mentions",
        "exported threads", "exported rooms of two", "exported reports", "exported standings", "exported messages",
        "exported versions", "exported files", "head of exported room", "author of exported file",
        "look for messages of files", "files of room", "rename channel of webhooks", "delete webhooks of channel",
        "lock answered reports", "lock files of reports", "reports with files that are being removed",
        "files that reports release", "erase answered reports", "rename room", "states of rooms", "note removals",
        "close rooms", "end dms", "take due scheduled messages", "next due scheduled message",
        "finish scheduled message", "fail scheduled message", "postpone scheduled message", "rooms to index",
        "begin to index rooms", "messages to index", "changed messages to index", "note progress of index",
        "lose progress of index", "erase own rows", "reactions of user", "erase reactions", "rooms of user",
        "room of erasure", "messages of user in room", "erase traces in room", "lease webhook queues",
        "next event of webhook queue", "settle event of webhook", "postpone event of webhook",
        "leave webhook queue", "release webhook queue", "next due webhook queue", "forget events of webhooks",
        "events of webhooks that wait", "stale webhook queues", "make webhook queue", "lock webhook queue",
        "news of channel", "queue messages for webhook", "queue changes for webhook", "move webhook queue",
        "queue fact for webhooks", "turn subscription off", "resume queues of subscription", "delete subscription",
        "workspaces with subscriptions",
    ]
}

/// The statements that look into several parts of a schema that is divided by workspace, by reason.
enum WideStatements {
    /// On the path of clients.
    static let ofClients = batches.union(lookUps).union(ofUsers).union(limits)
    static let all = ofClients.union(operators).union(background)

    /// A batch of sends of several workspaces, on one Postgres. Its rows name the workspace, and one statement writes them all.
    static let batches: Set<String> = [
        "write messages", "write messages with threads and mentions", "find named messages", "messages replied to",
        "raise roots of threads",
    ]

    /// Callers name a room, a file, an id or a secret without its workspace. These read the workspace by a key, and the statement
    /// that does the work names it.
    static let lookUps: Set<String> = [
        "workspaces of dms", "workspaces of rooms", "find files", "held file", "workspace of scheduled message",
        "workspace of run of command", "incoming webhook by secret",
    ]

    /// Lists and badges of a user in several workspaces. They only read.
    static let ofUsers: Set<String> = [
        "unread mentions", "badges", "dms of users in all workspaces", "saved messages", "scheduled messages of user",
        "drafts of user", "notification levels of user", "drafts of users", "notification levels of users",
    ]

    /// The drafts, scheduled messages and daily reports of a user have limits over all workspaces.
    static let limits: Set<String> = ["number of drafts", "insert scheduled message", "insert report"]

    /// Sequences, locks and tables of the first node; they touch no table of a workspace.
    static let onCoordinator: Set<String> = [
        "next webhook id", "next subscription id", "lock rooms", "lock limit", "take from storage",
    ]

    /// Work that a router does in several steps within one shard, in the background but for the switch of a webhook.
    static let inSteps: Set<String> = [
        "queue fact for webhooks", "turn subscription off",
    ]

    /// The console of operators.
    private static let operators: Set<String> = [
        "message for operator", "room for operator", "report for operator", "reports for operators", "overdue reports",
        "open reports", "subscription by id",
    ]

    /// Work in the background: facts, erasure, exports, retention, scheduled messages, the search index and webhooks.
    private static let background: Set<String> = [
        "rooms to erase", "workspaces with old runs of commands", "workspaces with old events of webhooks",
        "workspaces with answered reports", "workspaces with unsent files", "workspaces with due pictures of reports",
        "reports without noted pictures", "forget pictures of erased reports",

        "exported levels", "exported drafts", "exported scheduled messages",
        "exported bookmarks", "exported read markers", "exported reactions", "exported mentions",
        "exported threads", "exported rooms of two", "exported reports", "exported standings", "exported messages",
        "exported versions", "exported files", "head of exported room", "author of exported file",

        "workspaces with due scheduled messages", "next due scheduled message", "rooms to index",
        "lose progress of index", "erase own rows", "erase names of sent scheduled messages of user",
        "reactions of user", "rooms of user",
        "workspaces with due webhook queues",
        "next due webhook queue", "events of webhooks that wait",
        "workspaces with scheduled messages", "workspaces with webhooks", "workspaces with rooms", "workspaces of user",
        "stale webhook queues", "workspaces with subscriptions",
    ]
}

import ServiceKit

/// The settings of chat-service beside the common ones.
struct ChatSettings: Sendable {
    private static let fileSizeKey = ConfigKey(
        "file_size", default: ByteCount(10 << 20),
        "The size limit of one file of a message. A message has up to five files.")

    private static let userStorageKey = ConfigKey(
        "user_storage", default: ByteCount(10 << 30), "The size limit of all files in messages of one user.")
    private static let workspaceStorageKey = ConfigKey(
        "workspace_storage", default: ByteCount(100 << 30), "The size limit of all files in messages of one workspace.")
    private static let userDMsKey = ConfigKey(
        "user_dms", default: 1000, atLeast: 1, "The largest number of DMs of one user in a workspace.")
    private static let userMessagesKey = ConfigKey(
        "user_daily_messages", default: 100_000, atLeast: 1,
        "Messages of one user in a day. Each instance of the service counts those that it receives.")
    private static let workspaceMessagesKey = ConfigKey(
        "workspace_daily_messages", default: 10_000_000, atLeast: 1,
        "Messages in one workspace in a day. Each instance of the service counts those that it receives.")

    private static let searchTimeKey = ConfigKey(
        "search_timeout", default: Duration.seconds(1),
        "The time after which a search ends with the messages that it has found until then.")
    private static let searchShareKey = ConfigKey(
        "search_index_share", default: 10, atLeast: 1,
        "Percent of the time in which an instance writes the search index. 100 for a rebuild as fast as possible.")
    private static let searchesKey = ConfigKey(
        "user_searches", default: 2, atLeast: 1,
        "Searches of one user that run at the same time, on all instances together.")
    private static let editWindowKey = ConfigKey(
        "edit_window", default: Duration.zero,
        "How long after its sending a message may be edited. 0 sets no limit.")
    private static let roomPinsKey = ConfigKey(
        "room_pins", default: 100, atLeast: 1, "The largest number of pinned messages in a room.")
    private static let messageReactionsKey = ConfigKey(
        "message_reactions", default: 50, atLeast: 1, "The largest number of different emojis on a message.")

    private static let userDraftsKey = ConfigKey(
        "user_drafts", default: 500, atLeast: 1, "The largest number of drafts of one user.")

    private static let hereTimeoutKey = ConfigKey(
        "here_timeout", default: Duration.milliseconds(250), atLeast: .milliseconds(10), atMost: .seconds(3),
        "How long a message with @here waits for realtime-gateway to tell the present members. After that it mentions all."
    )

    private static let userHereKey = ConfigKey(
        "user_here", default: 10, atLeast: 1,
        "Messages with @here of one user in a minute for which the present members are found; further ones mention all."
    )

    private static let userScheduledKey = ConfigKey(
        "user_scheduled", default: 100, atLeast: 1, "The largest number of scheduled messages of one user.")
    private static let scheduledAheadKey = ConfigKey(
        "scheduled_ahead", default: Duration.seconds(120 * 86_400), atLeast: .seconds(60),
        "The longest time until a scheduled message is sent.")
    private static let scheduledLeaseKey = ConfigKey(
        "scheduled_lease", default: Duration.seconds(1), atLeast: .milliseconds(100),
        "How long an instance holds the lease on a due scheduled message. It doubles with each attempt."
    )

    private static let engineKey = ConfigKey(
        "chat_engine", default: ChatEngine.postgres,
        "Where the tables of messages are: on one server, or divided by workspace over the servers of a Citus cluster. Tables that are divided stay so."
    )
    private static let dividedKey = ConfigKey(
        "divided_by_workspace", default: false,
        "Whether the tables are divided by workspace: batches of messages are of one workspace each, and a statement changes one table."
    )

    static let entries =
        [
            fileSizeKey.entry, SessionCursors.memoryKey.entry, userStorageKey.entry, workspaceStorageKey.entry,
            userDMsKey.entry,
            userMessagesKey.entry, workspaceMessagesKey.entry, editWindowKey.entry,
            roomPinsKey.entry, messageReactionsKey.entry, searchTimeKey.entry, searchesKey.entry,
            searchShareKey.entry, userDraftsKey.entry,
            hereTimeoutKey.entry, userHereKey.entry, userScheduledKey.entry, scheduledAheadKey.entry,
            scheduledLeaseKey.entry, engineKey.entry, dividedKey.entry,
        ] + PreviewLimits.entries + ReportLimits.settings + IncomingWebhookLimits.settings + WebhookLimits.settings
        + CommandLimits.settings + PublicURL.settings

    private let files: (size: Int, previews: PreviewLimits)
    /// Bytes of one file.
    var fileSize: Int { files.size }
    var previewLimits: PreviewLimits { files.previews }

    let positionMemory: Duration
    let storageLimits: StorageLimits
    let limitOfDMs: Int
    private let search: (time: Duration, perUser: Int, indexShare: Double)
    var searchTime: Duration { search.time }
    var searchesPerUser: Int { search.perUser }
    /// 0 to 1.
    var searchIndexShare: Double { search.indexShare }
    /// The time for finding present members, and how often a user's messages find them in a minute.
    let here: (timeout: Duration, perMinute: Int)
    let limitOfDrafts: Int
    let schedulingLimits: SchedulingLimits
    let scheduledLease: Duration
    let messageLimits: (ofUser: Int, ofWorkspace: Int)
    let changeLimits: ChangeLimits
    private let tables: (engine: ChatEngine, areDivided: Bool)
    var engine: ChatEngine { tables.engine }
    var isDivided: Bool { tables.areDivided }

    init(_ config: Config) {
        files = (config[Self.fileSizeKey].bytes, PreviewLimits(config))
        positionMemory = config[SessionCursors.memoryKey]
        storageLimits = StorageLimits(
            ofUser: Int64(config[Self.userStorageKey].bytes), ofWorkspace: Int64(config[Self.workspaceStorageKey].bytes)
        )
        limitOfDMs = config[Self.userDMsKey]
        search = (
            config[Self.searchTimeKey], config[Self.searchesKey], min(1, Double(config[Self.searchShareKey]) / 100)
        )
        here = (config[Self.hereTimeoutKey], config[Self.userHereKey])
        limitOfDrafts = config[Self.userDraftsKey]
        schedulingLimits = SchedulingLimits(
            ofUser: config[Self.userScheduledKey], ahead: config[Self.scheduledAheadKey])
        scheduledLease = config[Self.scheduledLeaseKey]
        messageLimits = (config[Self.userMessagesKey], config[Self.workspaceMessagesKey])
        let engine = config[Self.engineKey]
        tables = (engine, config[Self.dividedKey] || engine == .citus)
        let window = config[Self.editWindowKey]
        changeLimits = ChangeLimits(
            editWindow: window == .zero ? nil : window, pins: config[Self.roomPinsKey],
            reactions: config[Self.messageReactionsKey])
    }
}

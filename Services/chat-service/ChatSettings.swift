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

    private static let userDraftsKey = ConfigKey(
        "user_drafts", default: 500, atLeast: 1, "The largest number of drafts of one user.")

    private static let userScheduledKey = ConfigKey(
        "user_scheduled", default: 100, atLeast: 1, "The largest number of scheduled messages of one user.")
    private static let scheduledAheadKey = ConfigKey(
        "scheduled_ahead", default: Duration.seconds(120 * 86_400), atLeast: .seconds(60),
        "The longest time until a scheduled message is sent.")
    private static let scheduledLeaseKey = ConfigKey(
        "scheduled_lease", default: Duration.seconds(1), atLeast: .milliseconds(100),
        "How long other instances leave a due scheduled message to the one that sends it. It doubles with each attempt."
    )

    static let entries = [
        fileSizeKey.entry, SessionCursors.memoryKey.entry, userStorageKey.entry, workspaceStorageKey.entry,
        userDMsKey.entry, userMessagesKey.entry, workspaceMessagesKey.entry, userDraftsKey.entry,
        userScheduledKey.entry, scheduledAheadKey.entry, scheduledLeaseKey.entry,
    ]

    /// Bytes.
    let fileSize: Int

    let positionMemory: Duration
    let storageLimits: StorageLimits
    let limitOfDMs: Int
    let limitOfDrafts: Int
    let schedulingLimits: SchedulingLimits
    let scheduledLease: Duration
    let messageLimits: (ofUser: Int, ofWorkspace: Int)

    init(_ config: Config) {
        fileSize = config[Self.fileSizeKey].bytes
        positionMemory = config[SessionCursors.memoryKey]
        storageLimits = StorageLimits(
            ofUser: Int64(config[Self.userStorageKey].bytes), ofWorkspace: Int64(config[Self.workspaceStorageKey].bytes)
        )
        limitOfDMs = config[Self.userDMsKey]
        limitOfDrafts = config[Self.userDraftsKey]
        schedulingLimits = SchedulingLimits(
            ofUser: config[Self.userScheduledKey], ahead: config[Self.scheduledAheadKey])
        scheduledLease = config[Self.scheduledLeaseKey]
        messageLimits = (config[Self.userMessagesKey], config[Self.workspaceMessagesKey])
    }
}

import Postgres

/// The stores of the users' own settings, levels and drafts, and those that read them.
struct NotificationStores: Sendable {
    let settings: SettingsStore
    let levels: RoomNotifyStore
    let drafts: DraftStore
    let recipients: PushRecipientStore
    let readers: ReaderStore
    let mentions: MentionStore

    init(database: PostgresPool) {
        settings = SettingsStore(database: database)
        levels = RoomNotifyStore(database: database)
        drafts = DraftStore(database: database)
        recipients = PushRecipientStore(database: database)
        readers = ReaderStore(database: database)
        mentions = MentionStore(database: database)
    }
}

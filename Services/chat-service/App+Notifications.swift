import Contract
import ServiceKit

/// The parts of the service that belong to single users: settings, notification levels, drafts and read receipts, and
/// the decisions about pushes that depend on them.
struct Notifications: Sendable {
    let rooms: RoomPath
    let preferences: Preferences
    let drafts: Drafts
    let decisions: PushDecisions
    let receipts: ReadReceipts
    let badges: Badges

    init(
        stores: NotificationStores, hints: RepeatedHints, access: RoomAccess, messages: MessageStore,
        members: RoomMembers, blocks: BlockCache, profiles: ProfileCache, roomWorkspaces: RoomWorkspaces,
        wide: WideReads, finder: WorkspaceFinder?, settings: ChatSettings
    ) {
        rooms = RoomPath(access: access)
        let publisher = UserStatePublisher(hints: hints)
        preferences = Preferences(settings: stores.settings, levels: stores.levels, publisher: publisher)
        drafts = Drafts(
            store: stores.drafts, messages: messages, publisher: publisher, limit: settings.limitOfDrafts)
        let badgeStore = BadgeStore(recipients: stores.recipients, wide: wide, finder: finder)
        decisions = PushDecisions(
            messages: messages, mentions: stores.mentions, recipients: stores.recipients, workspaces: access.workspaces,
            roomWorkspaces: roomWorkspaces, blocks: blocks, profiles: profiles, badgeStore: badgeStore)
        receipts = ReadReceipts(members: members, store: stores.readers)
        badges = Badges(store: badgeStore, workspaces: access.workspaces, blocks: blocks)
    }

    func register(in routes: inout PublicRoutes) {
        SettingsRoutes(preferences: preferences).register(in: &routes)
        NotifyRoutes(rooms: rooms, preferences: preferences).register(in: &routes)
        DraftRoutes(rooms: rooms, drafts: drafts).register(in: &routes)
        ReaderRoutes(rooms: rooms, receipts: receipts).register(in: &routes)
    }

    func register(in routes: inout InternalRoutes) {
        PushRoutes(decisions: decisions, badges: badges).register(in: &routes)
    }
}

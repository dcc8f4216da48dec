import Contract
import EventLoop
import Postgres
import Redis
import ServiceKit
import Telemetry
import Wire

/// Chat-service: rooms, messages, files and read markers.
@main
enum App {
    static func main() {
        Service.main(
            "chat-service", settings: ChatSettings.entries, migrations: Migrations.all, reference: Reference.all,
            assemble: assemble)
    }

    /// The composition root: builds everything from the settings and passes it down by initialisers.
    static func assemble(_ service: ServiceBuilder) async throws {
        let settings = ChatSettings(service.config)
        let database = try await service.database(
            "chat", migrations: Migrations.all, dividing: settings.engine.distribution)
        let redis = try service.redis()
        let hints = RepeatedHints(redis: redis, on: service.loops)
        let subscriber = try service.subscriber()
        let workspaces = WorkspaceClient(service.internalClient(service.peers.workspace))
        let profiles = ProfileCache(
            auth: AuthClient(service.internalClient(service.peers.auth)), on: service.loops)
        let access = AccessCache(workspaces: workspaces)
        _ = profiles.follow(subscriber, on: service.loops.loops[0])
        _ = access.follow(subscriber, on: service.loops.loops[0])
        let dms = DMStore(database: database)
        let history = HistoryParts(
            service, primary: HistoryStores(database: database, isPrimary: true),
            watched: PrimaryStore(database: database),
            nodes: service.databaseNodes("chat").map { NodeStore(host: $0.host, database: $0.pool) },
            subscriber: subscriber)
        let (messages, details) = (history.reader.primary.messages, history.reader.primary.details)
        let blocks = BlockCache(auth: AuthClient(service.internalClient(service.peers.auth)))
        _ = blocks.follow(subscriber, on: service.loops.loops[0])
        let standings = StandingStore(database: database)
        let moderation = ModerationCache(store: standings)
        moderation.follow(subscriber, on: service.loops.loops[0])
        let roomAccess = RoomAccess(
            cache: access, workspaces: workspaces, dms: dms, blocks: blocks, knownDMs: history.knownDMs)
        let streams = OutboxStreams.pushes(in: redis)
        let (finder, sweeps) = service.workspaceFinders(settings.engine, database)
        let lostEntries = service.lostEntryCheck(
            of: database, to: redis, streams: streams, isDivided: settings.isDivided, parts: finder)
        let outbox = OutboxStore(
            database: database, redis: redis, lostEntries: lostEntries, on: service.loops.loops[0],
            isDivided: settings.isDivided)
        let publisher = MessagePublisher(
            redis: redis, outbox: outbox, streams: streams,
            sent: service.metrics.counter("maru_messages_sent_total", "Messages accepted."))
        // Batches of different workspaces need not wait for each other.
        let writer = MessageWriter(
            database: settings.isDivided ? database : service.orderedPool(to: "chat"),
            isDivided: settings.isDivided)
        let searchMetrics = SearchMetrics(service.metrics)
        let indexer = SearchIndexer(
            store: SearchIndexStore(database: database, finder: finder),
            partitions: SearchPartitions(database: database, isDivided: settings.isDivided, finder: finder),
            metrics: searchMetrics, log: service.log, share: settings.searchIndexShare)
        let changePublisher = ChangePublisher(
            redis: redis, outbox: outbox, profiles: profiles, on: service.loops.loops[0])
        let watch = WebhookWatch()
        let committer = Committer(
            on: service.loops.loops[0], writer: writer, publisher: publisher, changes: changePublisher,
            indexer: indexer, webhooks: watch, heads: history.reader.replicas?.heads)
        let members = RoomMembers(workspaces: workspaces, dms: dms, profiles: profiles)
        members.follow(subscriber, on: service.loops.loops[0])
        let mentionFinder = MentionFinder(
            members: members,
            present: PresentMembers(
                gateway: RealtimeClient(
                    service.internalClient(service.peers.realtime, deadline: settings.here.timeout)),
                members: members, blocks: blocks, settings: SettingsStore(database: database),
                quota: BucketTable(rate: Double(settings.here.perMinute) / 60, burst: Double(settings.here.perMinute)),
                metrics: PresenceMetrics(service.metrics)),
            profiles: profiles, blocks: blocks)
        let attachments = Attachments(
            files: try service.fileStore(folders: Attachments.Folder.allCases.map(\.rawValue)),
            store: FileRecordStore(database: database, finder: sweeps), limits: settings.storageLimits,
            pictures: service.picturePreviews(within: settings.previewLimits))
        service.background("file sweep", FileSweep(attachments: attachments).run)
        let erasure = RoomErasure(store: ErasureStore(database: database, finder: sweeps), attachments: attachments)
        service.background("room erasure", erasure.run)
        let historyCursors = HistoryCursorStore(database: database, memory: settings.positionMemory)
        let conversations = Conversations(
            sendBuffers: LoopLocal(service.loops) { SendBuffer(on: $0, to: committer) },
            history: history.reader, readMarkers: ReadMarkerStore(database: database), profiles: profiles,
            blocks: blocks, moderation: moderation, mentions: mentionFinder, attachments: attachments,
            quota: MessageQuota(
                ofUser: settings.messageLimits.ofUser, ofWorkspace: settings.messageLimits.ofWorkspace),
            historyCursors: HistoryCursorPublisher(
                redis: redis, memory: settings.positionMemory, fallback: historyCursors, on: service.loops),
            reads: ReadPublisher(
                redis: redis, store: ReadEventStore(database: database, finder: finder), members: members,
                blocks: blocks, on: service.loops), deferred: DeferredMarkers())
        history.begin(in: service, conversations)
        let changes = MessageChanges(
            committer: ChangeCommitter(
                on: service.loops.loops[0],
                writer: ChangeWriter(database: database, limits: settings.changeLimits),
                publisher: changePublisher, indexer: indexer, webhooks: watch,
                heads: history.reader.replicas?.heads, isDivided: settings.isDivided),
            history: history.reader, profiles: profiles, blocks: blocks, moderation: moderation,
            mentions: mentionFinder, attachments: attachments)
        let saved = SavedMessages(
            store: SavedStore(database: database), messages: messages, details: details, changes: changes,
            access: roomAccess)
        let threads = Threads(
            store: ThreadStore(database: database), changes: changes, messages: messages, details: details,
            access: roomAccess, publisher: UserStatePublisher(hints: hints))
        let mentions = MentionInbox(
            store: MentionStore(database: database), messages: messages, details: details, changes: changes,
            access: roomAccess)
        let wide = WideReads(isDivided: settings.isDivided, log: service.log)
        let parts = finder.map { _ in WorkspaceFinder(database: database, wide: wide) }
        let names = RoomNames(database: database, finder: parts)
        let roomWorkspaces = RoomWorkspaces(names: names)
        let notifications = Notifications(
            stores: NotificationStores(database: database), hints: hints, access: roomAccess, messages: messages,
            members: members, blocks: blocks, profiles: profiles, roomWorkspaces: roomWorkspaces, wide: wide,
            finder: parts, settings: settings)
        let scheduled = ScheduledStore(database: database, finder: finder)
        let scheduledSender = ScheduledSender(
            store: scheduled, conversations: conversations, access: roomAccess,
            disabled: DisabledUsers(
                AuthClient(service.internalClient(service.peers.auth)), on: service.loops),
            lease: settings.scheduledLease, metrics: ScheduledMetrics(service.metrics), log: service.log)
        service.background("scheduled messages", scheduledSender.run)
        let events = RoomEvents(
            messages: messages, changes: history.reader.primary.changes, details: details, names: names,
            workspaces: roomWorkspaces, profiles: profiles, streams: streams)
        // The stream holds every message, and Redis keeps streams in memory. Gateways skip entries that are an hour old.
        service.relayOutbox(
            checkedBy: lostEntries, grace: .seconds(2),
            retention: OutboxRetention(acknowledged: .seconds(60), unread: .seconds(3600)),
            commands: events.commands(publishing:))
        let webhooks = try Webhooks(
            service, subscriptions: WebhookSubscriptionStore(database: database, finder: finder),
            intake: WebhookIntakeStore(database: database, finder: finder),
            deliveries: WebhookDeliveryStore(database: database, finder: finder, sweeps: sweeps),
            incoming: IncomingWebhookStore(database: database),
            renderer: WebhookRenderer(messages: history.reader.primary.changes, names: names, profiles: profiles),
            access: roomAccess, conversations: conversations, watch: watch)
        webhooks.begin(in: service)
        let commands = try CommandParts(
            service, store: CommandStore(database: database), runs: CommandRunStore(database: database, finder: sweeps),
            redis: redis, access: roomAccess, conversations: conversations)
        let facts = WorkspaceFactConsumer(
            rooms: RoomStore(database: database), dms: dms, names: names, erasure: erasure, standings: standings,
            webhooks: webhooks.incoming, subscribers: webhooks.facts, commands: commands.store, redis: redis,
            finder: sweeps)
        try service.facts(facts.handle)
        let ownRooms = UserErasureStore(database: database)
        let userErasure = UserErasure(
            store: ownRooms, divided: sweeps.map { DividedUserErasureStore(database: database, finder: $0) },
            committer: changes.committer,
            messages: MessageErasure(
                store: MessageErasureStore(database: database), messages: messages, details: details,
                attachments: attachments, publisher: changePublisher, indexer: indexer, webhooks: watch),
            workspaces: workspaces, auth: AuthClient(service.internalClient(service.peers.auth)), log: service.log)
        service.background("user erasure", userErasure.run)
        try service.facts(AccountFactConsumer(erasure: userErasure).handle)
        service.background("search index", indexer.run)
        service.metrics.add(indexer)
        let directory = MemberDirectory(workspaces: workspaces, profiles: profiles)
        directory.follow(subscriber, on: service.loops.loops[0])
        let search = MessageSearch(
            access: roomAccess,
            names: SearchNames(
                people: directory,
                times: SearchTimes(
                    settings: notifications.preferences.settings, days: DayStore(database: database))),
            store: SearchStore(database: database, marks: WideReads(isDivided: finder != nil)), profiles: profiles,
            blocks: blocks,
            limiter: SearchLimiter(
                limit: settings.searchesPerUser,
                leases: SearchLeaseStore(redis: redis, timeOfSearch: settings.searchTime)),
            metrics: searchMetrics, timeLimit: settings.searchTime)
        let (links, rooms) = (try service.fileLinks(), RoomPath(access: roomAccess))
        let summaries = RoomSummaries(
            access: roomAccess, blocks: blocks, messages: messages, details: details, profiles: profiles,
            levels: notifications.preferences.levels, drafts: notifications.drafts.store)
        let safety = Safety(
            service, reports: ReportStore(database: database, finder: finder, sweeps: sweeps), standings: standings,
            cache: moderation, hints: hints, access: roomAccess, messages: messages, names: names, changes: changes)
        safety.begin(in: service)
        service.publicRoutes { routes in
            safety.register(in: &routes)
            webhooks.register(in: &routes)
            commands.register(in: &routes)
            SearchRoutes(search: search, find: QuickFind(access: roomAccess, people: directory)).register(in: &routes)
            ChannelChatRoutes(access: roomAccess, conversations: conversations, fileSize: settings.fileSize)
                .register(in: &routes)
            RoomSummaryRoutes(threads: threads, summaries: summaries).register(in: &routes)
            notifications.register(in: &routes)
            ScheduledRoutes(
                rooms: rooms,
                messages: ScheduledMessages(
                    store: scheduled, limits: settings.schedulingLimits, sender: scheduledSender,
                    attachments: attachments, changes: changes),
                fileSize: settings.fileSize
            ).register(in: &routes)
            ChangeRoutes(rooms: rooms, changes: changes, access: roomAccess).register(in: &routes)
            SavedRoutes(rooms: rooms, saved: saved).register(in: &routes)
            ThreadRoutes(rooms: rooms, threads: threads, mentions: mentions).register(in: &routes)
            LimitRoutes(attachments: attachments, fileSize: settings.fileSize).register(in: &routes)
            FileRoutes(attachments: attachments, access: roomAccess, reports: safety.reports, links: links)
                .register(in: &routes)
            DMRoutes(
                access: roomAccess,
                directMessages: DirectMessages(
                    store: dms, access: roomAccess, profiles: profiles,
                    hints: AccessHintPublisher(hints: hints), limit: settings.limitOfDMs),
                conversations: conversations, fileSize: settings.fileSize
            ).register(in: &routes)
        }
        service.operatorRoutes { routes in
            RoomOperatorRoutes(
                rooms: .init(database: database, finder: finder),
                messages: .init(database: database, isDivided: finder != nil)
            ).register(in: &routes)
            safety.register(in: &routes)
            webhooks.register(in: &routes)
        }
        service.internalRoutes { routes in
            RoomRoutes(
                headStore: RoomHeadStore(database: database, finder: finder), access: roomAccess, events: events,
                historyCursors: historyCursors
            ).register(in: &routes)
            notifications.register(in: &routes)
            safety.register(in: &routes)
            ExportRoutes(
                exports: Exports(store: ExportStore(database: database), rooms: ownRooms, workspaces: workspaces),
                files: attachments.files
            ).register(in: &routes)
            InternalMeRoutes(
                rooms: MyRooms(
                    summaries: summaries, tails: RoomTails(messages: messages, metrics: service.metrics),
                    rows: GatheredReads(
                        on: service.loops, limit: 64, UserStartStore(database: database, wide: wide).rows)),
                profiles: service.profiles, conversations: conversations, changes: changes, threads: threads
            ).register(in: &routes)
        }
    }
}

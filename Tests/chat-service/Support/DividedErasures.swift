import Contract
import EventLoop
import Postgres
import Redis
import ServiceKit
import ServiceSupport
import TestSupport
import Wire

@testable import chat_service

/// The erasures of a service in a schema that is divided into parts on one server, with the facts that begin them.
enum DividedErasures {
    /// Runs `body` while they work in the background.
    static func use(
        _ database: ChatDatabase, pool: Int, _ finder: WorkspaceFinder, _ peers: StubPeers, _ redis: RedisServer,
        _ body: @Sendable () async throws -> Void
    ) async throws {
        let pool = database.pools[pool]
        let service = try await ServiceUnderTest(
            "chat-service", ChatSettings.entries, ["auth_url": peers.url, "workspace_url": peers.url],
            database: database.database, redis: redis
        ) { service in
            try assemble(service, pool, finder)
        }
        try await service.lent { _ in try await body() }
    }

    private static func assemble(
        _ service: ServiceBuilder, _ database: PostgresPool, _ finder: WorkspaceFinder
    ) throws {
        let redis = try service.redis()
        let auth = AuthClient(service.internalClient(service.peers.auth))
        let attachments = Attachments(
            files: try service.fileStore(folders: Attachments.Folder.allCases.map(\.rawValue)),
            store: FileRecordStore(database: database, finder: finder), limits: .sample, pictures: nil)
        let rooms = RoomErasure(store: ErasureStore(database: database, finder: finder), attachments: attachments)
        service.background("room erasure", rooms.run)
        let subscriptions = WebhookSubscriptionStore(database: database)
        let facts = WorkspaceFactConsumer(
            rooms: RoomStore(database: database), dms: DMStore(database: database),
            names: RoomNames(database: database), erasure: rooms, standings: StandingStore(database: database),
            webhooks: IncomingWebhookStore(database: database),
            subscribers: WebhookFacts(
                store: WebhookIntakeStore(database: database), subscriptions: subscriptions, wake: {}),
            commands: CommandStore(database: database), redis: redis, finder: finder)
        try service.facts(facts.handle)
        let accounts = userErasure(service, database, finder, attachments, auth, redis)
        service.background("user erasure", accounts.run)
        try service.facts(AccountFactConsumer(erasure: accounts).handle)
    }

    private static func userErasure(
        _ service: ServiceBuilder, _ database: PostgresPool, _ finder: WorkspaceFinder, _ attachments: Attachments,
        _ auth: AuthClient, _ redis: Redis
    ) -> UserErasure {
        let loop = service.loops.loops[0]
        let lostEntries = service.lostEntryCheck(
            of: database, to: redis, streams: .pushes(in: redis), isDivided: true)
        // It only runs the check.
        service.relayOutbox(checkedBy: lostEntries, grace: .seconds(3600), retention: .day) { _ in [] }
        let publisher = ChangePublisher(
            redis: redis,
            outbox: OutboxStore(database: database, redis: redis, lostEntries: lostEntries, on: loop, isDivided: true),
            profiles: ProfileCache(auth: auth, on: service.loops), on: loop)
        let indexer = SearchIndexer(
            store: SearchIndexStore(database: database),
            partitions: SearchPartitions(database: database, isDivided: true),
            metrics: SearchMetrics(service.metrics), log: service.log, share: 0.1)
        let watch = WebhookWatch()
        return UserErasure(
            store: UserErasureStore(database: database),
            divided: DividedUserErasureStore(database: database, finder: finder),
            committer: ChangeCommitter(
                on: loop, writer: ChangeWriter(database: database, limits: ChangeLimits()), publisher: publisher,
                indexer: indexer, webhooks: watch, heads: nil, isDivided: true),
            messages: MessageErasure(
                store: MessageErasureStore(database: database), messages: MessageStore(database: database),
                details: MessageDetailStore(database: database), attachments: attachments, publisher: publisher,
                indexer: indexer, webhooks: watch),
            workspaces: WorkspaceClient(service.internalClient(service.peers.workspace)), auth: auth, log: service.log)
    }
}

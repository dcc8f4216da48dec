import Contract
import EventLoop
import Postgres
import Redis
import ServiceKit
import Wire

/// Chat-service: rooms, messages, files and read markers.
@main
enum App {
    static func main() {
        Service.main("chat-service", settings: ChatSettings.entries, assemble: assemble)
    }

    /// The composition root: builds everything from the settings and passes it down by initialisers.
    static func assemble(_ service: ServiceBuilder) async throws {
        let settings = ChatSettings(service.config)
        let database = try await service.database("chat", migrations: Migrations.all)
        let redis = try service.redis()
        let subscriber = try service.subscriber()
        let workspaces = WorkspaceClient(service.internalClient(service.peers.workspace))
        let profiles = ProfileCache(auth: AuthClient(service.internalClient(service.peers.auth)))
        let access = AccessCache(workspaces: workspaces)
        _ = profiles.follow(subscriber)
        _ = access.follow(subscriber)
        let (messages, dms) = (MessageStore(database: database), DMStore(database: database))
        let roomAccess = RoomAccess(cache: access, workspaces: workspaces, dms: dms)
        let publisher = MessagePublisher(redis: redis, outbox: OutboxStore(database: database, on: service.loops))
        let writer = MessageWriter(database: service.orderedPool(to: "chat"))
        let committer = Committer(on: service.loops.loops[0], writer: writer, publisher: publisher)
        let attachments = Attachments(
            files: try service.fileStore(folders: Attachments.Folder.allCases.map(\.rawValue)),
            store: FileRecordStore(database: database), limits: settings.storageLimits)
        let sweep = FileSweep(attachments: attachments)
        service.background("file sweep", sweep.run)
        let erasure = RoomErasure(store: ErasureStore(database: database), attachments: attachments)
        service.background("room erasure", erasure.run)
        let historyCursors = HistoryCursorStore(database: database, memory: settings.positionMemory)
        let conversations = Conversations(
            sendBuffers: LoopLocal(service.loops) { SendBuffer(on: $0, to: committer) },
            messages: messages, readMarkers: ReadMarkerStore(database: database), profiles: profiles,
            attachments: attachments,
            quota: MessageQuota(
                ofUser: settings.messageLimits.ofUser, ofWorkspace: settings.messageLimits.ofWorkspace),
            historyCursors: HistoryCursorPublisher(
                redis: redis, memory: settings.positionMemory, fallback: historyCursors))
        let events = RoomEvents(messages: messages, names: RoomNames(database: database), profiles: profiles)
        // The stream holds every message, and Redis keeps streams in memory. Gateways skip entries that are an hour
        // old.
        service.relayOutbox(
            of: database, to: redis, stream: .pushes, grace: .seconds(2),
            retention: OutboxRetention(acknowledged: .seconds(60), unread: .seconds(3600)),
            commands: events.commands(publishing:))
        let names = RoomNames(database: database)
        let facts = WorkspaceFactConsumer(
            rooms: RoomStore(database: database), dms: dms, names: names, erasure: erasure, redis: redis)
        try service.facts(facts.handle)
        let links = try service.fileLinks()
        service.publicRoutes { routes in
            ChannelChatRoutes(access: roomAccess, conversations: conversations, fileSize: settings.fileSize)
                .register(in: &routes)
            RoomSummaryRoutes(
                summaries: RoomSummaries(access: roomAccess, messages: messages, profiles: profiles)
            ).register(in: &routes)
            FileRoutes(attachments: attachments, access: roomAccess, links: links).register(in: &routes)
            DMRoutes(
                access: roomAccess,
                directMessages: DirectMessages(
                    store: dms, access: roomAccess, profiles: profiles, limit: settings.limitOfDMs),
                conversations: conversations, fileSize: settings.fileSize
            ).register(in: &routes)
        }
        service.internalRoutes { routes in
            RoomRoutes(
                conversations: conversations, access: roomAccess, events: events, historyCursors: historyCursors
            ).register(in: &routes)
        }
    }
}

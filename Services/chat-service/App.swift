import Contract
import EventLoop
import Postgres
import Redis
import ServiceKit
import Wire

/// Rooms, messages, files, read positions.
@main
enum App {
    static func main() {
        Service.main("chat-service", settings: ChatSettings.entries, assemble: assemble)
    }

    /// Builds everything from the settings and passes it down.
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
        let doors = Doors(access: access, workspaces: workspaces, dms: dms)
        let announcer = Announcer(redis: redis, outbox: OutboxStore(database: database, on: service.loops))
        let writer = MessageWriter(database: service.line(to: "chat"))
        let committer = Committer(on: service.loops.loops[0], writer: writer, announcer: announcer)
        let attachments = Attachments(
            files: try service.fileStore(folders: Attachments.Folder.allCases.map(\.rawValue)),
            store: FileRecordStore(database: database))
        let sweep = FileSweep(attachments: attachments)
        service.background("file sweep") {
            guard let loop = EventLoop.current else { return }
            try await sweep.run(on: loop)
        }
        let erasure = RoomErasure(store: ErasureStore(database: database), attachments: attachments)
        service.background("room erasure") {
            guard let loop = EventLoop.current else { return }
            try await erasure.run(on: loop)
        }
        let historyCursors = HistoryCursorStore(database: database, memory: settings.positionMemory)
        let conversations = Conversations(
            gates: LoopLocal(service.loops) { SendGate(on: $0, to: committer) },
            messages: messages, positions: ReadPositionStore(database: database), profiles: profiles,
            attachments: attachments,
            historyCursors: HistoryCursorPublisher(
                redis: redis, memory: settings.positionMemory, fallback: historyCursors))
        let events = RoomEvents(messages: messages, names: RoomNames(database: database), profiles: profiles)
        // Redis has to hold what it remembers, and every message is in it; gateways pass over what is an hour old.
        _ = service.outbox(
            in: database, to: redis, stream: .pushes, grace: .seconds(2),
            memory: OutboxMemory(acknowledged: .seconds(60), unheard: .seconds(3600)), telling: events.telling)
        let names = RoomNames(database: database)
        let news = WorkspaceNews(
            rooms: RoomStore(database: database), dms: dms, names: names, erasure: erasure, redis: redis)
        try service.facts(of: "workspace", news.hear)
        service.publicRoutes { routes in
            ChannelChatRoutes(doors: doors, conversations: conversations, fileSize: settings.fileSize)
                .register(in: &routes)
            GlanceRoutes(glances: Glances(doors: doors, messages: messages, profiles: profiles)).register(in: &routes)
            FileRoutes(attachments: attachments, doors: doors).register(in: &routes)
            DMRoutes(
                doors: doors, directMessages: DirectMessages(store: dms, doors: doors, profiles: profiles),
                conversations: conversations, fileSize: settings.fileSize
            ).register(in: &routes)
        }
        service.internalRoutes { routes in
            RoomRoutes(messages: messages, dms: dms, doors: doors, events: events, historyCursors: historyCursors)
                .register(in: &routes)
        }
    }
}

import Contract
import EngineIO
import EventLoop
import Postgres
import Redis
import ServiceKit
import SocketIO
import Telemetry
import WebSocket
import Wire

/// Socket.IO, fan-out, presence, push dispatch.
@main
enum App {
    static func main() {
        Service.main("realtime-gateway", settings: GatewaySettings.entries, assemble: assemble)
    }

    /// Builds everything from the settings and passes it down.
    static func assemble(_ service: ServiceBuilder) async throws {
        let settings = GatewaySettings(service.config)
        let redis = try service.redis()
        let subscriber = try service.subscriber()
        let access = try service.access()
        let chat = ChatClient(service.internalClient(service.peers.chat))
        let outside = FeedSurroundings(
            subscriber: subscriber, chat: chat, heads: HeadComparison(chat: chat, on: service.loops),
            compression: LoopLocal(service.loops) { _ in CompressionPool() }, metrics: GatewayMetrics(service.metrics),
            log: service.log)
        let positions = PositionStore(redis: redis)
        let hubs = LoopLocal(service.loops) { LoopHub(on: $0, outside, positions: positions) }
        let origins = AllowedOrigins(settings.allowedOrigins)
        let admission = Admission(
            authenticator: access.authenticator, profiles: service.profiles,
            workspaces: WorkspaceClient(service.internalClient(service.peers.workspace)), chat: chat, origins: origins)
        let engine = EngineServer(
            on: service.loops, settings: settings.engine, node: settings.node,
            crossOrigin: .allowed { origins.contains($0) }
        ) { request in
            let identity = await admission.identity(of: request)
            return { socket in
                SocketIOClient(socket, settings: settings.socketIO) { client in
                    GatewayClient(client, identity: identity, hub: hubs.current, admission: admission)
                }
            }
        }
        service.mount("/socket.io", engine.respond(to:))
        access.revocations.observe { revocation in hubs.forEach { $0.revoke(revocation.session) } }
        hubs.forEach { $0.scheduleFlush() }
        HintListener(hubs: hubs, admission: admission, subscriber: subscriber).start(on: service.loops)
        let presence = Presence(redis: redis)
        hubs.forEach { $0.showPresence(presence) }
        if let account = try settings.serviceAccount() {
            try await dispatchPushes(for: account, settings, service, chat, presence)
        }
        service.atEnd {
            hubs.forEach { $0.flushAll() }
            engine.closeAll(over: settings.drainWindow)
        }
    }

    /// Sends what is said to those who are away.
    private static func dispatchPushes(
        for account: ServiceAccount, _ settings: GatewaySettings, _ service: ServiceBuilder, _ chat: ChatClient,
        _ presence: Presence
    ) async throws {
        let store = PushStore(database: try await service.database("realtime", migrations: Migrations.all))
        let auth = AuthClient(service.internalClient(service.peers.auth))
        let provider = FCM(
            base: settings.fcmURL, project: account.project, http: service.http,
            access: FCMAccess(account: account, http: service.http, url: settings.fcmTokenURL))
        let sender = PushSender(
            store: store, provider: provider, auth: auth, metrics: PushMetrics(service.metrics), log: service.log)
        let intake = PushIntake(
            store: store, workspaces: WorkspaceClient(service.internalClient(service.peers.workspace)), chat: chat,
            auth: auth, presence: presence, sender: sender)
        try service.stream("push", concurrency: 8, intake.take)
        service.background("push", sender.run)
    }
}

import Contract
import EngineIO
import EventLoop
import HTTP
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
        Service.main(
            "realtime-gateway", settings: GatewaySettings.entries, migrations: Migrations.all, reference: Reference.all,
            assemble: { try await assemble($0) })
    }

    /// Builds everything from the settings and passes it down.
    static func assemble(
        _ service: ServiceBuilder, presence times: Presence.Times = Presence.Times(),
        online: OnlineStore.Times = OnlineStore.Times(), nodes: NodeDirectory.Times = NodeDirectory.Times(),
        tunnelTimeout: Duration = .seconds(3)
    ) async throws {
        let settings = try GatewaySettings(service.config)
        let redis = try service.redis()
        let chat = ChatClient(service.internalClient(service.peers.chat))
        let me = try makeMe(settings, service, chat, online)
        let admission = try makeAdmission(settings, service, chat)
        let shards = try makeShards(settings, service, chat, admission, me)
        let engine = makeEngine(settings, service, admission, shards)
        let directory = NodeDirectory(redis: redis, times: nodes)
        let relay = NodeRelay(
            loops: service.loops, directory: directory, http: relayHTTP(service), credential: service.credential,
            pool: service.pool, maximumPayload: max(settings.engine.maximumPayload, settings.limits.me.messageSize),
            timeout: settings.engine.pingInterval + settings.engine.pingTimeout + .seconds(10),
            tunnelTimeout: tunnelTimeout)
        let router = SocketRequestRouter(
            engine, node: settings.node, relay: relay, proxies: service.proxies, limits: settings.limits,
            metrics: service.metrics)
        service.mount("/socket.io", router.respond(to:))
        service.internalRoutes { routes in RelayRoutes(engine: engine).register(in: &routes) }
        service.operatorRoutes { routes in
            DeliveryRoutes(shards: shards, loops: service.loops).register(in: &routes)
        }
        advertise(settings, in: directory, service)
        admission.revocations.observe { revocation in shards.forEach { $0.revoke(revocation.session) } }
        let census = SocketCensus()
        service.metrics.add(census)
        shards.forEach { shard in
            shard.keepCursors()
            shard.report(to: census)
        }
        redis.observe { state in
            if state.isConnected { shards.current.me.presence.rewrite() }
        }
        redis.observeReturns { shards.current.redisReturned() }
        shards.forEach { $0.me.presence.keep() }
        HintConsumer(shards: shards, subscriber: try service.subscriber(), starts: me.starts).start(on: service.loops)
        let presence = Presence(redis: redis, times: times)
        shards.forEach { $0.showPresence(presence) }
        service.internalRoutes { routes in
            PresenceRoutes(members: PresentMembers(online: me.online, rooms: presence)).register(in: &routes)
        }
        let store = PushStore(database: try await service.database("realtime", migrations: Migrations.all))
        let account = try settings.pushes.serviceAccount()
        try keepPushes(in: store, isOn: account != nil, settings.pushes, service)
        if let account {
            try dispatchPushes(for: account, from: store, settings.pushes, service, chat, presence)
        } else {
            let groups = UnusedPushGroups(
                redis: redis, streams: OutboxStreams.pushes(in: redis).keys, group: service.name)
            service.background("unused push groups", every: .seconds(60), groups.delete)
        }
        service.atDrain {
            await engine.drain(over: settings.drainWindow)
            for loop in service.loops.loops {
                try? await loop.run { await shards.current.cursors.settle(within: .seconds(2)) }
            }
            await directory.withdraw(settings.node)
        }
    }

    /// The dependencies of `/me` sockets.
    static func makeMe(
        _ settings: GatewaySettings, _ service: ServiceBuilder, _ chat: ChatClient, _ times: OnlineStore.Times
    ) throws -> MeContext {
        let redis = try service.redis()
        let auth = AuthClient(service.internalClient(service.peers.auth))
        let workspaces = WorkspaceClient(service.internalClient(service.peers.workspace))
        let starts = StartCache(
            moves: ReadMoves(redis: redis, on: service.loops), capacity: settings.limits.startMemory,
            metrics: service.metrics)
        let loop = service.loops.loops[0]
        loop.execute { starts.expire(on: loop) }
        return MeContext(
            limits: settings.limits.me, online: OnlineStore(redis: redis), presenceTimes: times,
            visibility: PresenceVisibility(workspaces: workspaces, auth: auth),
            starts: starts,
            startReads: StartReads(workspaces: workspaces, chat: chat, profiles: service.profiles, on: service.loops),
            workspaces: workspaces, auth: auth)
    }

    /// Decides which sockets may be opened.
    static func makeAdmission(
        _ settings: GatewaySettings, _ service: ServiceBuilder, _ chat: ChatClient
    ) throws -> Admission {
        let access = try service.access()
        return Admission(
            authenticator: access.authenticator, revocations: access.revocations, profiles: service.profiles,
            workspaces: WorkspaceClient(service.internalClient(service.peers.workspace)), chat: chat,
            origins: AllowedOrigins(settings.allowedOrigins), proxies: service.proxies,
            shares: SocketShares(
                nameless: Int(Double(service.connectionLimit) * settings.limits.namelessShare),
                user: settings.limits.socketsOfUser, namelessTimeout: settings.limits.namelessTimeout),
            anonymous: try settings.anonymousProfile(of: service.profiles))
    }

    /// The rooms and sockets of each loop.
    static func makeShards(
        _ settings: GatewaySettings, _ service: ServiceBuilder, _ chat: ChatClient, _ admission: Admission,
        _ me: MeContext
    ) throws -> LoopLocal<GatewayShard> {
        let redis = try service.redis()
        let auth = me.auth
        let blocks = SocketBlocks.Reads(on: service.loops) { users in
            let found = try await auth.blocks(of: users)
            return Dictionary(found.map { ($0.user, $0) }) { first, _ in first }
        }
        let context = ShardContext(
            subscriber: try service.subscriber(), chat: chat,
            heads: HeadComparison(chat: chat, on: service.loops.loops[0]),
            openings: GatheredReads(on: service.loops) { try await chat.reachableHeads(of: $0) },
            cursors: SessionCursorStore(redis: redis, memory: settings.positionMemory),
            blocks: LoopLocal(service.loops) { SocketBlocks(on: $0, blocks) },
            publisher: RoomEventPublisher(redis: redis),
            me: me,
            readerTimeout: settings.readerTimeout,
            rendering: EventRendering(
                service.profiles, compression: LoopLocal(service.loops) { _ in CompressionPool() }),
            metrics: GatewayMetrics(service.metrics, on: service.loops, tracer: service.tracer), log: service.log)
        return LoopLocal(service.loops) { GatewayShard(on: $0, context, admission: admission) }
    }

    /// The server of sockets.
    private static func makeEngine(
        _ settings: GatewaySettings, _ service: ServiceBuilder, _ admission: Admission,
        _ shards: LoopLocal<GatewayShard>
    ) -> EngineServer {
        EngineServer(
            on: service.loops, settings: settings.engine, node: settings.node,
            crossOrigin: .allowed { admission.origins.contains($0) }
        ) { request throws(EngineError) in
            let handshake = try await admission.handshake(request)
            return EngineAcceptance(mayCompress: handshake.identity != nil) { socket in
                SocketIOClient(socket, settings: settings.socketIO) { client in
                    GatewayClient(client, handshake, shard: shards.current, admission: admission)
                }
            }
        }
    }

    /// Tells the other instances the address of this one.
    private static func advertise(_ settings: GatewaySettings, in directory: NodeDirectory, _ service: ServiceBuilder) {
        let loop = service.loops.loops[0]
        service.atStart { address in
            let address = settings.nodeAddress.isEmpty ? NodeDirectory.name(of: address) : settings.nodeAddress
            loop.execute { directory.begin(settings.node, at: address, on: loop) }
        }
    }

    /// Deletes old pushes, erases those of deleted accounts and shows decisions to operators. All of it goes on while push is
    /// off, for the rows of the time when it was on.
    private static func keepPushes(
        in store: PushStore, isOn: Bool, _ settings: PushSettings, _ service: ServiceBuilder
    ) throws {
        service.background("push retention", PushRetention(store: store, decisions: settings.decisionMemory).run)
        let auth = AuthClient(service.internalClient(service.peers.auth))
        try service.facts(AccountFactConsumer(pushes: store, auth: auth).handle)
        let decisions = PushDecisionRoutes(decisions: PushDecisionStore(database: store.database), isPushOn: isOn)
        service.internalRoutes { routes in decisions.register(in: &routes) }
        service.operatorRoutes { routes in decisions.register(in: &routes) }
    }

    /// The client of relayed requests: each poll that waits holds a connection.
    private static func relayHTTP(_ service: ServiceBuilder) -> HTTPClient {
        var configuration = service.httpConfiguration
        configuration.maximumTransfers = service.connectionLimit
        configuration.maximumConnections = service.connectionLimit
        configuration.maximumConnectionsPerHost = service.connectionLimit
        return service.ownHTTP(configuration)
    }

    /// Sends pushes to users without a socket in the room.
    private static func dispatchPushes(
        for account: ServiceAccount, from store: PushStore, _ settings: PushSettings, _ service: ServiceBuilder,
        _ chat: ChatClient, _ presence: Presence
    ) throws {
        let auth = AuthClient(service.internalClient(service.peers.auth))
        let http = service.provider("fcm")
        let provider = FCM(
            base: settings.fcmURL, project: account.project, http: http,
            access: FCMAccess(
                account: account, on: service.loops.loops[0], http: http, url: settings.fcmTokenURL,
                deadline: settings.providerDeadline),
            deadline: settings.providerDeadline)
        service.queue("push", length: store.length)
        let recipients = PushRecipients(
            workspaces: WorkspaceClient(service.internalClient(service.peers.workspace)), chat: chat, auth: auth)
        let sender = PushSender(
            store: store, provider: provider, recipients: recipients, auth: auth, chat: chat, lease: settings.lease,
            metrics: PushMetrics(service.metrics), log: service.log)
        let intake = PushIntake(
            store: store, recipients: recipients, chat: chat, presence: presence, sender: sender,
            profiles: service.profiles, oldest: settings.age, counting: service.unknownMessages)
        let streams = OutboxStreams.pushes(in: try service.redis()).keys
        for stream in streams { try service.stream(stream, concurrency: streams.count == 1 ? 4 : 1, intake.take) }
        service.background("push", sender.run)
        let loop = service.loops.loops[0]
        service.atDrain { await sender.stop(within: settings.drain, on: loop) }
    }
}

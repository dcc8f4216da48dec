import Contract
import HTTP
import Redis
import ServiceKit

/// The commands of bots.
struct CommandParts: Sendable {
    let store: CommandStore
    private let routes: CommandRoutes

    init(
        _ service: ServiceBuilder, store: CommandStore, runs: CommandRunStore, redis: Redis, access: RoomAccess,
        conversations: Conversations
    ) throws {
        let addresses = try WebhookLimits(service.config)
        let signer = WebhookLimits.signer(service.config, credential: service.credential)
        let limits = CommandLimits(service.config)
        self.store = store
        let runner = CommandRunner(
            store: store, runs: runs,
            receivers: CommandReceivers(
                http: service.ownHTTP(addresses.client(timeout: limits.timeout)), signer: signer,
                timeout: limits.timeout, publicURL: try PublicURL(service.config)),
            conversations: conversations, access: access, publisher: PrivateAnswerPublisher(redis: redis),
            limits: limits, metrics: CommandMetrics(service.metrics))
        routes = CommandRoutes(
            commands: Commands(store: store, access: access, limits: limits, addresses: addresses, signer: signer),
            runner: runner, rooms: RoomPath(access: access))
        service.background("old runs of commands", every: .seconds(60), runner.forget)
    }

    func register(in routes: inout PublicRoutes) { self.routes.register(in: &routes) }
}

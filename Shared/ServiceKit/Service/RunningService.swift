internal import Contract
public import EventLoop
internal import HTTP
internal import Redis
internal import Telemetry

/// A service that runs: its addresses, and the way to stop it.
public final class RunningService: Sendable {
    /// The address for clients.
    public let publicAddress: SocketAddress
    /// The address for other services and operators.
    public let internalAddress: SocketAddress
    /// The internal address of this instance alone; the internal address if no other instance shares it.
    public let instanceAddress: SocketAddress

    private let publicServer: Server
    private let internalServer: Server
    private let readiness: Readiness
    private let backgrounds: [Task<Void, Never>]
    private let consumers: [RedisStreamConsumer]
    private let atDrain: [ServiceBuilder.Work]
    private let atEnd: [ServiceBuilder.Work]
    private let drainTimeout: Duration
    private let drainIdle: Duration
    private let loops: EventLoopGroup

    init(_ builder: ServiceBuilder, api: PublicAPI, internalAPI: InternalAPI, readiness: Readiness) async throws {
        let (config, life) = (builder.config, builder.life)
        var configuration = ServerConfiguration()
        configuration.connections = builder.connections.limit
        configuration.refusedConnection = { [connections = builder.connections] in connections.refused($0) }
        configuration.largestBody = max(configuration.largestBody, builder.api.routes.largestBody)
        configuration.refuse = { Failure($0).response(for: .legacy, to: nil) }
        publicServer = Server(on: builder.loops, configuration: configuration) { await api.reply(to: $0) }
        builder.connections.count(publicServer, in: builder.metrics)
        var internalConfiguration = ServerConfiguration()
        // Sockets that other instances forward come in by the internal port.
        internalConfiguration.connections += builder.connections.limit
        let internalServer = Server(on: builder.loops, configuration: internalConfiguration) {
            await internalAPI.respond(to: $0)
        }
        self.internalServer = internalServer
        let isShared = config[CommonSettings.sharedPorts]
        do {
            internalAddress = try internalServer.start(at: config[CommonSettings.internalAddress], isShared: isShared)
            let ownAddress = config[CommonSettings.instanceAddress]
            instanceAddress = try ownAddress.map { try internalServer.start(at: $0) } ?? internalAddress
            publicAddress = try publicServer.start(at: config[CommonSettings.publicAddress], isShared: isShared)
        } catch {
            await internalServer.stop()
            throw error
        }
        for work in life.atStart { work(instanceAddress) }
        self.readiness = readiness
        loops = builder.loops
        drainTimeout = config[CommonSettings.drainTimeout]
        drainIdle = config[CommonSettings.drainIdle]
        atDrain = life.atDrain
        atEnd = life.atEnd
        consumers = life.consumers
        for consumer in consumers { consumer.start() }
        let log = builder.log
        backgrounds = life.backgrounds.enumerated().map { index, work in
            work.start(on: builder.loops[any: index], log: log)
        }
        readiness.become(.running)
    }

    /// The time for calls of other services to finish, once those of clients have ended.
    private static let internalDrain = Duration.seconds(5)

    /// Stops the service in order: first new calls and stream entries, then, once the open ones are done, the calls of
    /// other services, then background work, and last the connections that they used.
    public func stop() async {
        readiness.become(.draining)
        await withTaskGroup(of: Void.self) { group in
            for consumer in consumers { group.addTask { await consumer.stop() } }
            for work in atDrain { group.addTask(executorPreference: loops.loops[0]) { try? await work() } }
            await publicServer.drain(within: drainTimeout, idle: drainIdle)
        }
        // The HTTP client of another service repeats a request if its idle connection turns out to be closed.
        await internalServer.drain(within: Self.internalDrain)
        for background in backgrounds { background.cancel() }
        for background in backgrounds { await background.value }
        for work in atEnd.reversed() { try? await work() }
    }
}

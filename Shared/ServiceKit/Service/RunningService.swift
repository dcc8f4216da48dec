internal import Contract
public import EventLoop
internal import HTTP
internal import Redis
internal import Synchronization
internal import Telemetry

/// A service that runs: where it listens, and how it is stopped.
public final class RunningService: Sendable {
    /// Where clients call.
    public let publicAddress: SocketAddress
    /// Where other services and operators call.
    public let internalAddress: SocketAddress

    private let publicServer: Server
    private let internalServer: Server
    private let readiness: Readiness
    private let backgrounds: [Task<Void, Never>]
    private let consumers: [RedisStreamConsumer]
    private let drains: [ServiceBuilder.Work]
    private let endings: [ServiceBuilder.Work]
    private let drainTimeout: Duration
    private let loops: EventLoopGroup

    init(_ builder: ServiceBuilder, api: PublicAPI, internalAPI: InternalAPI, readiness: Readiness) async throws {
        let config = builder.config
        var configuration = ServerConfiguration()
        configuration.connections = config[CommonSettings.connections]
        configuration.largestBody = max(configuration.largestBody, builder.routes.largestBody)
        configuration.refuse = { Failure($0).response(for: .legacy) }
        publicServer = Server(on: builder.loops, configuration: configuration) { await api.reply(to: $0) }
        internalServer = Server(on: builder.loops) { await internalAPI.respond(to: $0) }
        internalAddress = try internalServer.start(at: config[CommonSettings.internalAddress])
        do {
            publicAddress = try publicServer.start(at: config[CommonSettings.publicAddress])
        } catch {
            await internalServer.stop()
            throw error
        }
        for beginning in builder.beginnings { beginning(internalAddress) }
        self.readiness = readiness
        loops = builder.loops
        drainTimeout = config[CommonSettings.drainTimeout]
        drains = builder.drains
        endings = builder.endings
        consumers = builder.consumers
        for consumer in consumers { consumer.start() }
        let log = builder.log
        backgrounds = builder.backgrounds.enumerated().map { index, background in
            let loop = builder.loops[any: index]
            return Task(executorPreference: loop) { await background.run(on: loop, log) }
        }
        readiness.become(.running)
    }

    /// Ends the service in order: no new calls and no more of streams, what runs of both to its end, background work, then
    /// what it stands on.
    public func stop() async {
        readiness.become(.draining)
        await withTaskGroup(of: Void.self) { group in
            for consumer in consumers { group.addTask { await consumer.stop() } }
            for drain in drains { group.addTask(executorPreference: loops.loops[0]) { try? await drain() } }
            await publicServer.drain(within: drainTimeout)
        }
        for background in backgrounds { background.cancel() }
        for background in backgrounds { await background.value }
        for ending in endings.reversed() { try? await ending() }
        await internalServer.drain(within: .milliseconds(100))
    }
}

extension Background {
    /// Runs the work again and again until the task is cancelled.
    fileprivate func run(on loop: EventLoop, _ log: Log) async {
        var pause = Duration.milliseconds(100)
        while !Task.isCancelled {
            let start = loop.now
            do {
                try await work()
            } catch {
                if Task.isCancelled { return }
                log.error("background work failed", ["work": .word(name), "cause": .cause(error)])
            }
            if loop.now - start > 60_000_000_000 { pause = .milliseconds(100) }
            do { try await loop.sleep(for: pause) } catch { return }
            pause = min(pause * 2, .seconds(10))
        }
    }
}

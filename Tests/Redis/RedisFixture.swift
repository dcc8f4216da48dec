import EventLoop
import Redis
import Synchronization
import TestSupport

/// Two loops and a client of a server, for one test.
final class RedisFixture: Sendable {
    let server: RedisServer
    let configuration: RedisConfiguration
    let group = EventLoopGroup(count: 2)
    let pool = BlockingPool(threads: 1, limit: 16, name: "resolver")
    let redis: Redis
    /// The prefix of this test's keys and channels.
    let name = "test:\(UInt64.random(in: 0 ... .max)):"

    private init(_ server: RedisServer, _ configuration: RedisConfiguration) {
        self.server = server
        var configuration = configuration
        configuration.joinCluster(on: group, resolvingOn: pool)
        self.configuration = configuration
        redis = Redis(configuration, on: group, resolvingOn: pool)
    }

    /// Runs `body` on the first loop, with its connection up, and closes everything afterwards.
    static func run(
        _ server: RedisServer? = nil, seeds: [RedisConfiguration.Server] = [],
        adjust: (inout RedisConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (RedisFixture) async throws -> Void
    ) async throws {
        let server = if let server { server } else { try await RedisServer.ofThisProcess() }
        var configuration = RedisConfiguration(.host("127.0.0.1", port: server.port))
        // Generous limits for sanitizers and busy machines; a test of a time-out sets its own.
        configuration.commandTimeout = .seconds(20).patiently
        configuration.connectTimeout = .seconds(20).patiently
        configuration.pingInterval = .seconds(20).patiently
        configuration.seeds = seeds
        adjust(&configuration)
        let fixture = RedisFixture(server, configuration)
        let outcome: Result<Void, any Error>
        do {
            try await fixture.group.loops[0].run {
                try await fixture.redis.connected(within: .seconds(60).patiently)
                try await body(fixture)
            }
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        fixture.redis.close()
        fixture.configuration.cluster?.close()
        await onOwnThread { fixture.group.stop() }
        fixture.pool.stop()
        try outcome.get()
    }

    /// The loop of a test's body.
    var loop: EventLoop { group.loops[0] }

    func key(_ name: String) -> RedisKey { RedisKey(self.name + name) }

    func subscriber(adjust: (inout RedisConfiguration) -> Void = { _ in }) -> RedisSubscriber {
        var configuration = configuration
        adjust(&configuration)
        return RedisSubscriber(configuration, on: group, resolvingOn: pool)
    }
}

/// A list of events in order; any thread may add to it.
final class Record<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    var all: [Element] { elements.withLock(\.self) }
    var count: Int { elements.withLock(\.count) }

    func add(_ element: Element) { elements.withLock { $0.append(element) } }
}

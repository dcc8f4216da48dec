import EventLoop
import Redis
import ServiceKit
import Synchronization
import Wire

/// The internal address of each instance of the gateway. Each instance keeps its own in Redis for as long as it runs.
final class NodeDirectory: Sendable {
    private struct CachedAddress {
        let address: String?
        let fetchedAt: UInt64
    }

    private let redis: Redis
    private let isWithdrawn = Atomic<Bool>(false)
    private let cache = Mutex<[String: CachedAddress]>([:])

    private static let lifetime = Duration.seconds(15)
    private static let renewal = Duration.seconds(5)
    /// How long an address is cached. An instance that has ended keeps its address for this long at most after its key
    /// has expired, as long as Redis answers.
    private static let cacheTime = Duration.seconds(1)
    private let mostCached: Int

    /// - Parameter mostCached: addresses that are cached at most.
    init(redis: Redis, mostCached: Int = 1024) {
        self.redis = redis
        self.mostCached = mostCached
    }

    /// Publishes the address of `node`, such as `10.0.0.7:9104`, from now on; on `loop`.
    func begin(_ node: String, at address: String, on loop: EventLoop) {
        guard !isWithdrawn.load(ordering: .relaxed) else { return }
        redis.post(
            RedisCommand("SET", Self.key(node), address, "PX", Int(Self.lifetime.wholeMilliseconds)))
        let pause = redis.state.isConnected ? Self.renewal : .milliseconds(100)
        loop.schedule(after: pause) { [weak self] in self?.begin(node, at: address, on: loop) }
    }

    /// Stops publishing the address and deletes it.
    func withdraw(_ node: String) async {
        isWithdrawn.store(true, ordering: .relaxed)
        _ = try? await redis.delete(Self.key(node))
    }

    /// The internal address of a node; nil if the node has ended or is unknown.
    func address(of node: String) async -> String? {
        let now = EventLoop.preciseNow
        if let known = cache.withLock({ $0[node] }), now < known.fetchedAt + Self.cacheTime.wholeNanoseconds {
            return known.address
        }
        // While Redis does not answer, the last known address is used, and the next call asks again.
        guard let found = try? await redis.run(RedisCommand("GET", Self.key(node))) else {
            return cache.withLock { $0[node] }?.address
        }
        cache.withLock { cache in
            if cache.count >= mostCached { cache.removeAll() }
            cache[node] = CachedAddress(address: found.text, fetchedAt: now)
        }
        return found.text
    }

    /// The address at which other instances reach a server that listens at `address`.
    static func name(of address: SocketAddress) -> String {
        guard ["0.0.0.0", "::"].contains(address.host) else { return address.description }
        return "\(HostName.own):\(address.port)"
    }

    private static func key(_ node: String) -> RedisKey { "gateway:\(node)" }
}

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

    struct Times: Sendable {
        /// How long an address is valid without renewal.
        var lifetime = Duration.seconds(15)
        var renewal = Duration.seconds(5)
        /// How long an address is cached. An instance that has ended keeps its address for this long at most after its key
        /// has expired, as long as Redis answers.
        var cache = Duration.seconds(1)
        /// After a return of Redis an address may be missing for so long, because its instance has not written it again.
        var rewriting = Duration.seconds(2)
    }

    private let redis: Redis
    private let times: Times
    private let isWithdrawn = Atomic<Bool>(false)
    private let cache = Mutex<[String: CachedAddress]>([:])

    private let mostCached: Int

    /// - Parameter mostCached: addresses that are cached at most.
    init(redis: Redis, mostCached: Int = 1024, times: Times = Times()) {
        self.redis = redis
        self.times = times
        self.mostCached = mostCached
    }

    /// Publishes the address of `node`, such as `10.0.0.7:9104`, from now on; on `loop`.
    func begin(_ node: String, at address: String, on loop: EventLoop) {
        renew(node, at: address, on: loop)
        // Redis may have lost the address.
        redis.observeReturns { [weak self] in self?.write(node, at: address) }
    }

    private func renew(_ node: String, at address: String, on loop: EventLoop) {
        guard !isWithdrawn.load(ordering: .relaxed) else { return }
        write(node, at: address)
        let pause = redis.state.isConnected ? times.renewal : .milliseconds(100)
        loop.schedule(after: pause) { [weak self] in self?.renew(node, at: address, on: loop) }
    }

    private func write(_ node: String, at address: String) {
        guard !isWithdrawn.load(ordering: .relaxed) else { return }
        redis.post(RedisCommand("SET", Self.key(node), address, "PX", Int(times.lifetime.wholeMilliseconds)))
    }

    /// Stops publishing the address and deletes it.
    func withdraw(_ node: String) async {
        isWithdrawn.store(true, ordering: .relaxed)
        _ = try? await redis.delete(Self.key(node))
    }

    /// The internal address of a node; nil if the node has ended or is unknown.
    func address(of node: String) async -> String? {
        let now = EventLoop.preciseNow
        if let known = cache.withLock({ $0[node] }), now < known.fetchedAt + times.cache.wholeNanoseconds {
            return known.address
        }
        let key = Self.key(node)
        // While Redis does not answer, the last known address is used, and the next call asks again.
        guard let found = try? await redis.run(RedisCommand("GET", key)) else {
            return cache.withLock { $0[node] }?.address
        }
        // So it is until the node has written it again for a Redis that may have lost it.
        if found.text == nil, let time = redis.timeSinceReturn(of: key), time < times.rewriting,
            let known = cache.withLock({ $0[node] })?.address
        {
            return known
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

import EventLoop
import Redis
import ServiceKit
import Synchronization
import Wire

/// The internal addresses of the gateway's instances: each writes its own to Redis while it lives.
final class NodeDirectory: Sendable {
    private struct CachedAddress {
        let address: String?
        let at: UInt64
    }

    private let redis: Redis
    private let isWithdrawn = Atomic<Bool>(false)
    private let cache = Mutex<[String: CachedAddress]>([:])

    private static let lifetime = Duration.seconds(15)
    private static let renewal = Duration.seconds(5)
    /// While Redis answers, a cached address is used no longer than this.
    private static let memory = Duration.seconds(1)
    private static let mostRemembered = 1024

    init(redis: Redis) { self.redis = redis }

    /// Writes from now on that `node` is at `address`, such as `10.0.0.7:9104`; on `loop`.
    func begin(_ node: String, at address: String, on loop: EventLoop) {
        guard !isWithdrawn.load(ordering: .relaxed) else { return }
        redis.post(
            RedisCommand("SET", Self.key(node), address, "PX", Int(Self.lifetime.wholeMilliseconds)))
        let pause = redis.state.isConnected ? Self.renewal : .milliseconds(100)
        loop.schedule(after: pause) { [weak self] in self?.begin(node, at: address, on: loop) }
    }

    /// Removes the address for good.
    func withdraw(_ node: String) async {
        isWithdrawn.store(true, ordering: .relaxed)
        _ = try? await redis.delete(Self.key(node))
    }

    /// The internal address of a node; nil for a dead or unknown node.
    func address(of node: String) async -> String? {
        let now = EventLoop.preciseNow
        if let known = cache.withLock({ $0[node] }), now - known.at < Self.memory.wholeNanoseconds {
            return known.address
        }
        // While Redis does not answer, the last known address is used, and read again the next time.
        guard let found = try? await redis.run(RedisCommand("GET", Self.key(node))) else {
            return cache.withLock { $0[node] }?.address
        }
        cache.withLock { cache in
            if cache.count >= Self.mostRemembered { cache.removeAll() }
            cache[node] = CachedAddress(address: found.text, at: now)
        }
        return found.text
    }

    /// The name under which other hosts reach a listener at `address`.
    static func name(of address: SocketAddress) -> String {
        guard ["0.0.0.0", "::"].contains(address.host) else { return address.description }
        return "\(HostName.own):\(address.port)"
    }

    private static func key(_ node: String) -> RedisKey { "gateway:\(node)" }
}

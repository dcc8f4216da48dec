import EventLoop
import Redis
import ServiceKit
import Synchronization
import Wire

/// Which instance of the gateway is where: each tells its internal address in Redis, for as long as it lives.
final class NodeDirectory: Sendable {
    private struct Sighting {
        let address: String?
        let at: UInt64
    }

    private let redis: Redis
    private let isWithdrawn = Atomic<Bool>(false)
    private let seen = Mutex<[String: Sighting]>([:])

    private static let lifetime = Duration.seconds(15)
    private static let renewal = Duration.seconds(5)
    /// A dead node's address is believed no longer than this after its key has gone, while Redis can be asked.
    private static let memory = Duration.seconds(1)
    private static let mostRemembered = 1024

    init(redis: Redis) { self.redis = redis }

    /// Tells from now on that `node` is at `address`, such as `10.0.0.7:9104`; on `loop`.
    func begin(_ node: String, at address: String, on loop: EventLoop) {
        guard !isWithdrawn.load(ordering: .relaxed) else { return }
        redis.post(
            RedisCommand("SET", Self.key(node), address, "PX", Int(Self.lifetime.wholeMilliseconds)))
        let pause = redis.state.isConnected ? Self.renewal : .milliseconds(100)
        loop.schedule(after: pause) { [weak self] in self?.begin(node, at: address, on: loop) }
    }

    /// Tells nobody any more.
    func withdraw(_ node: String) async {
        isWithdrawn.store(true, ordering: .relaxed)
        _ = try? await redis.delete(Self.key(node))
    }

    /// The internal address of a node; nil where it lives no more, or was never heard of.
    func address(of node: String) async -> String? {
        let now = EventLoop.preciseNow
        if let known = seen.withLock({ $0[node] }), now - known.at < Self.memory.wholeNanoseconds {
            return known.address
        }
        // While nobody can be asked a node is where it was last, and asked for again the next time.
        guard let found = try? await redis.run(RedisCommand("GET", Self.key(node))) else {
            return seen.withLock { $0[node] }?.address
        }
        seen.withLock { seen in
            if seen.count >= Self.mostRemembered { seen.removeAll() }
            seen[node] = Sighting(address: found.text, at: now)
        }
        return found.text
    }

    /// How others reach what listens at `address`.
    static func name(of address: SocketAddress) -> String {
        guard ["0.0.0.0", "::"].contains(address.host) else { return address.description }
        return "\(HostName.own):\(address.port)"
    }

    private static func key(_ node: String) -> RedisKey { "gateway:\(node)" }
}

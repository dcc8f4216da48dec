import EngineIO
import EventLoop
import HTTP
import ServiceKit
import Synchronization
import Telemetry
import Wire

/// Routes public requests for sockets: forwards those for another node's session, and bounds the rate of new sessions, so
/// that a crowd that comes back at once does not slow the sockets that are open.
final class SocketRequestRouter: Sendable {
    private let engine: EngineServer
    private let node: String
    private let relay: NodeRelay
    private let proxies: TrustedProxies
    private let bucket: Mutex<TokenBucket>
    private let addresses: BucketTable<String>
    private let refusals: (all: Counter, address: Counter)

    init(
        _ engine: EngineServer, node: String, relay: NodeRelay, proxies: TrustedProxies, limits: SocketLimitSettings,
        metrics: MetricsRegistry
    ) {
        self.engine = engine
        self.node = node
        self.relay = relay
        self.proxies = proxies
        let (all, address) = (limits.handshakes, limits.handshakesOfAddress)
        bucket = Mutex(TokenBucket(rate: all.rate, burst: all.burst, now: EventLoop.preciseNow))
        addresses = BucketTable(rate: address.rate, burst: address.burst)
        func counter(_ reason: String) -> Counter {
            metrics.counter(
                "maru_handshakes_refused_total", "New sockets that were refused because there were too many at once.",
                labels: ["reason": reason])
        }
        refusals = (counter("instance"), counter("address"))
    }

    /// The reply to any public request for a socket.
    func respond(to request: Request) async -> Response {
        if let owner = EngineServer.node(of: request), owner != node, request.method != .options {
            return await relay.respond(to: request, of: String(owner)) ?? engine.refuse(.unknownSession, to: request)
        }
        if EngineServer.opensSession(request), let wait = wait(of: request) { return Self.tooMany(retryAfter: wait) }
        return await engine.respond(to: request)
    }

    /// The time that a new session must wait; nil for none. The bucket of the address comes first, so that an address that is
    /// over its rate takes nothing from the bucket of all.
    private func wait(of request: Request) -> Duration? {
        if let wait = addresses.take(AddressGroup.of(proxies.origin(of: request).address)) {
            refusals.address.increment()
            return wait
        }
        guard let wait = bucket.withLock({ $0.take(now: EventLoop.preciseNow) }) else { return nil }
        refusals.all.increment()
        return wait
    }

    private static func tooMany(retryAfter wait: Duration) -> Response {
        let body = JSONWriter.bytes { json in
            json.object { json in
                json.field("errorCode", "E98")
                json.field("message", "Too many connections at once")
            }
        }
        var response = Response.json(body, .serviceUnavailable)
        response.headers.append(.retryAfter, String(max(1, wait.components.seconds + 1)))
        return response
    }
}

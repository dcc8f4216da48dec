import EngineIO
import EventLoop
import HTTP
import ServiceKit
import Synchronization
import Wire

/// Routes public requests for sockets: forwards those for another node's session, and bounds the rate of new sessions, so
/// that a crowd that comes back at once does not slow the sockets that are open.
final class SocketRequestRouter: Sendable {
    private let engine: EngineServer
    private let node: String
    private let relay: NodeRelay
    private let bucket: Mutex<TokenBucket>

    /// - Parameters:
    ///   - rate: new sessions a second.
    ///   - burst: new sessions at once.
    init(_ engine: EngineServer, node: String, relay: NodeRelay, rate: Int, burst: Int) {
        self.engine = engine
        self.node = node
        self.relay = relay
        bucket = Mutex(TokenBucket(rate: Double(rate), burst: Double(burst), now: EventLoop.preciseNow))
    }

    /// The reply to any public request for a socket.
    func respond(to request: Request) async -> Response {
        if let owner = EngineServer.node(of: request), owner != node, request.method != .options {
            return await relay.respond(to: request, of: String(owner)) ?? engine.refuse(.unknownSession, to: request)
        }
        if EngineServer.opensSession(request),
            let wait = bucket.withLock({ $0.take(now: EventLoop.preciseNow) })
        {
            return Self.tooMany(retryAfter: wait)
        }
        return await engine.respond(to: request)
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

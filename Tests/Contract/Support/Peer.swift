import Contract
import EventLoop
import HTTP
import Synchronization

/// A service that replies as the test says and records the calls.
final class Peer: Sendable {
    /// A call with its headers.
    struct Asked: Sendable {
        let path: String
        let credential: String?
        let id: String?
        let trace: String?
    }

    let loops = EventLoopGroup(count: 1)
    private let http: HTTPClient
    private let server: Server
    private let port: UInt16
    private let log: Log

    private final class Log: Sendable {
        let calls = Mutex<[Asked]>([])
    }

    /// - Parameter answer: makes the reply to a call from its number, 1 for the first.
    init(_ answer: @escaping @Sendable (Int) async throws -> Response) throws {
        let log = Log()
        self.log = log
        http = HTTPClient(on: loops)
        server = Server(on: loops) { request in
            let asked = Asked(
                path: String(decoding: request.path, as: UTF8.self), credential: request.headers.text(.authorization),
                id: request.headers.text(.requestID), trace: request.headers.text(.traceparent))
            let number = log.calls.withLock { calls in
                calls.append(asked)
                return calls.count
            }
            return try await answer(number)
        }
        guard let address = SocketAddress(ip: "127.0.0.1", port: 0) else { preconditionFailure("no loopback address") }
        port = try server.start(at: address).port
    }

    var asked: [Asked] { log.calls.withLock(\.self) }

    /// Runs `body` on the loop with a client of this service.
    func ask(
        within deadline: Duration = .seconds(3), _ body: @escaping @Sendable (InternalClient) async throws -> Void
    ) async throws {
        let client = InternalClient(
            "http://127.0.0.1:\(port)/", credential: "secret", http: http, deadline: deadline)
        try await loops.loops[0].run { try await body(client) }
    }

    func stop() async {
        http.close()
        await server.stop()
        loops.stop()
    }
}

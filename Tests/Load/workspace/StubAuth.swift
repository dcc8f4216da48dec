import EventLoop
import HTTP
import ServiceSupport

/// As much of auth-service as the service under load asks for: keys, and no revocations.
final class StubAuth: Sendable {
    let tokens: TokenIssuer
    let url: String
    private let server: Server

    init(on loops: EventLoopGroup) throws {
        let tokens = TokenIssuer()
        self.tokens = tokens
        server = Server(on: loops) { request in
            if request.path.elementsEqual("/internal/keys".utf8) { return .json(tokens.jwks) }
            return .json(Array(#"{"now":\#(Int64.max / 2),"revocations":[]}"#.utf8))
        }
        url = "http://127.0.0.1:\(try server.start(at: SocketAddress(ip: "127.0.0.1", port: 0)!).port)"
    }
}

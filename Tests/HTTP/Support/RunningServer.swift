import EventLoop
import Testing

@testable import HTTP

/// A server on free loops and a free port for the time of `body`.
func withServer(
    loops: Int = 1, _ configure: (inout ServerConfiguration) -> Void = { _ in },
    handler: @escaping Server.Handler, _ body: (RunningServer) async throws -> Void
) async throws {
    var configuration = ServerConfiguration()
    configure(&configuration)
    let group = EventLoopGroup(count: loops)
    let server = Server(on: group, configuration: configuration, handler: handler)
    let address = try server.start(at: SocketAddress(ip: "127.0.0.1", port: 0)!)
    let failure: (any Error)?
    do {
        try await body(RunningServer(server: server, port: address.port))
        failure = nil
    } catch {
        failure = error
    }
    await server.stop()
    group.stop()
    if let failure { throw failure }
}

struct RunningServer {
    let server: Server
    let port: UInt16

    func client(patience: Int = 10) throws -> RawClient { try RawClient(port: port, patience: patience) }
}

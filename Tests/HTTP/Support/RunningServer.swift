import EventLoop
import HTTP
import TestSupport

/// A server on a free port.
struct RunningServer: Sendable {
    let server: Server
    let group: EventLoopGroup
    let port: UInt16

    func client(patience: Duration = .seconds(20)) throws -> Client { try Client(port: port, patience: patience) }

    /// Waits until no connection is open.
    func untilEmpty() async throws {
        try await eventually(within: .seconds(20), "the end of all connections") { server.connectionCount == 0 }
    }
}

/// Runs a server for the time of `body`, which may block: it has a thread of its own.
func withServer(
    loops: Int = 1, _ configure: (inout ServerConfiguration) -> Void = { _ in },
    _ handler: @escaping Server.Handler, body: @escaping @Sendable (RunningServer) throws -> Void
) async throws {
    try await withRunningServer(loops: loops, configure, handler) { running in
        try await onOwnThread { Result { try body(running) } }.get()
    }
}

/// Runs a server for the time of `body`.
func withRunningServer(
    loops: Int = 1, _ configure: (inout ServerConfiguration) -> Void = { _ in },
    _ handler: @escaping Server.Handler, body: (RunningServer) async throws -> Void
) async throws {
    var configuration = ServerConfiguration()
    configure(&configuration)
    let group = EventLoopGroup(count: loops)
    let server = Server(on: group, configuration: configuration, handler: handler)
    let address = try server.start(at: SocketAddress(ip: "127.0.0.1", port: 0)!)
    let result: Result<Void, any Error>
    do {
        result = .success(try await body(RunningServer(server: server, group: group, port: address.port)))
    } catch {
        result = .failure(error)
    }
    await server.stop()
    await onOwnThread { group.stop() }
    try result.get()
}

extension Request {
    var pathText: String { String(decoding: path, as: UTF8.self) }
}

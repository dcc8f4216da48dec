import EventLoop
import Glibc
import HTTP
import TestSupport

/// A running server on a free port.
struct RunningServer: Sendable {
    let server: Server
    let group: EventLoopGroup
    let port: UInt16

    func client(patience: Duration = .seconds(60)) throws -> Client { try Client(port: port, patience: patience) }

    /// Waits until no connection is open.
    func waitUntilEmpty() throws {
        for _ in 0..<60_000 {
            if server.connectionCount == 0 { return }
            usleep(1000)
        }
        throw NeverHappened(description: "the end of all connections")
    }

    /// Starts a drain on a loop of the server; the journal gets an entry when it is done. In the pool of Swift's tasks it would wait for all
    /// tests that began before.
    func drain(within limit: Duration, idle: Duration = .zero) -> Journal<Void> {
        let done = Journal<Void>()
        Task(executorPreference: group.nearest) {
            await server.drain(within: limit, idle: idle)
            done.note(())
        }
        return done
    }
}

/// Runs a server while `body` runs, on a thread of its own, because it may block. Time-outs that a test does not set are too
/// long to pass on a busy machine.
func withServer(
    loops: Int = 1, _ configure: (inout ServerConfiguration) -> Void = { _ in },
    _ handler: @escaping Server.Handler, body: @escaping @Sendable (RunningServer) throws -> Void
) async throws {
    var configuration = ServerConfiguration()
    configuration.headTimeout = .seconds(600)
    configuration.idleTimeout = .seconds(600)
    configuration.bodyGrace = .seconds(600)
    configuration.writeTimeout = .seconds(600)
    configuration.lingerTimeout = .seconds(600)
    configure(&configuration)
    let group = EventLoopGroup(count: loops)
    let server = Server(on: group, configuration: configuration, handler: handler)
    let address = try server.start(at: SocketAddress(ip: "127.0.0.1", port: 0)!)
    let running = RunningServer(server: server, group: group, port: address.port)
    let result = await onOwnThread { Result { try body(running) } }
    await server.stop()
    await onOwnThread { group.stop() }
    try result.get()
}

extension Request {
    var pathText: String { String(decoding: path, as: UTF8.self) }
}

import EventLoop
import Glibc
import LoadClient
import TestSupport
import Wire

/// python-socketio, the reference implementation in Python, on aiohttp: one process and one thread.
struct MeasuredPython: MeasuredServer {
    let name = "python-socketio"
    let process: ChildProcess
    let address: SocketAddress
    private let folder: TemporaryFolder

    /// Nil if the Python is missing.
    static func start(python: String) async throws -> MeasuredPython? {
        guard access(python, X_OK) == 0 else { return nil }
        let server = try MeasuredPython(python: python)
        try await eventually(within: .seconds(30), "a start of python-socketio") {
            guard server.process.isRunning else { throw NeverHappened(description: server.process.output) }
            return (try? RawConnection(port: server.address.port)) != nil
        }
        return server
    }

    private init(python: String) throws {
        folder = TemporaryFolder("maru-python-socketio")
        let port = FreePort.pick()
        address = SocketAddress(ip: "127.0.0.1", port: port)!
        let script = "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/") + "/socketio_server.py"
        process = try ChildProcess(python, [script, "\(port)"], log: folder.path + "/log")
    }

    var meter: ProcessMeter { ProcessMeter(pid: process.pid) }

    var namespaces: (@Sendable (Int) -> String)? { { _ in RoomLayout.namespace(of: ChannelID(1)) } }

    func target(of number: Int) -> WebSocketFleet.Target {
        WebSocketFleet.Target(address: address, target: "/socket.io/?EIO=4&transport=websocket")
    }

    func writer(on loop: EventLoop) async throws -> any EventWriter {
        try await PostingWriter.open(address, "/publish", on: loop) { $0.view(for: .measured) }
    }

    func stop() async { await process.stop(SIGKILL) }
}

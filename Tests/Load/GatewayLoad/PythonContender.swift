import EventLoop
import Glibc
import LoadClient
import TestSupport
import Wire

/// python-socketio, the reference implementation in Python, on aiohttp: one process, one thread.
struct PythonContender: Contender {
    let name = "python-socketio"
    let process: ChildProcess
    let address: SocketAddress
    private let folder: TemporaryFolder

    /// Nil where there is no Python that has python-socketio.
    static func start(python: String) async throws -> PythonContender? {
        guard access(python, X_OK) == 0 else { return nil }
        let contender = try PythonContender(python: python)
        try await eventually(within: .seconds(30), "a start of python-socketio") {
            guard contender.process.isRunning else { throw NeverHappened(description: contender.process.output) }
            return (try? RawConnection(port: contender.address.port)) != nil
        }
        return contender
    }

    private init(python: String) throws {
        folder = TemporaryFolder("maru-python-socketio")
        let port = FreePort.pick()
        address = SocketAddress(ip: "127.0.0.1", port: port)!
        let script = "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/") + "/socketio_server.py"
        process = try ChildProcess(python, [script, "\(port)"], log: folder.path + "/log")
    }

    var meter: ProcessMeter { ProcessMeter(pid: process.pid) }

    var namespaces: (@Sendable (Int) -> String)? { { _ in Seating.namespace(of: ChannelID(1)) } }

    func target(of number: Int) -> WebSocketFleet.Target {
        WebSocketFleet.Target(address: address, target: "/socket.io/?EIO=4&transport=websocket")
    }

    func writer(on loop: EventLoop) async throws -> any EventWriter {
        try await PostingWriter.open(address, "/publish", on: loop) { $0.view(for: .measured) }
    }

    func stop() async { await process.stop(SIGKILL) }
}

import LoadClient
import TestSupport

/// A measured server: its process, its address and its publish path.
struct Peer {
    let name: String
    let process: ChildProcess
    let port: UInt16
    let subscribe: String
    let publish: String
    /// Keeps the server's folder.
    var nchan: Nchan?

    /// This program as a server.
    static func maru(loops: Int, in folder: String) async throws -> Peer {
        let process = try ChildProcess.product("bench-websocket", ["serve", "\(loops)"], log: folder + "/maru.log")
        try await process.written("\n")
        let port = UInt16(process.output.dropLast())!
        return Peer(name: "Maru", process: process, port: port, subscribe: "/subscribe", publish: "/publish")
    }

    /// nchan, with as many workers as we have loops.
    static func nchan(workers: Int) async throws -> Peer {
        let nchan = try await Nchan.start(workers: workers)
        return Peer(
            name: "nchan", process: nchan.process, port: nchan.port, subscribe: nchan.subscribe,
            publish: nchan.publish, nchan: nchan)
    }
}

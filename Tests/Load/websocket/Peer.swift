import LoadClient
import TestSupport

/// A server that is measured: a process of its own, where it listens, and how it is published to.
struct Peer {
    let name: String
    let process: ChildProcess
    let port: UInt16
    let subscribe: String
    let publish: String
    /// Keeps its folder.
    var nchan: Nchan?

    /// This program in its other part.
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

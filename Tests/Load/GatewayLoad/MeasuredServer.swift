import EventLoop
import LoadClient
import TestSupport
import Wire

/// A server under measurement: one room, its sockets and its writer.
protocol MeasuredServer: Sendable {
    var name: String { get }
    /// The meter of the server's process.
    var meter: ProcessMeter { get }
    /// The namespace of each client; nil for raw WebSockets.
    var namespaces: (@Sendable (_ client: Int) -> String)? { get }
    /// The target of client `number`, counted from 0.
    func target(of number: Int) -> WebSocketFleet.Target
    /// Opens the writer of events on its loop.
    func writer(on loop: EventLoop) async throws -> any EventWriter
    func stop() async
}

/// Writes events into the room of a server.
///
/// - Note: Confined to its loop.
protocol EventWriter: AnyObject {
    /// Sends the next event, stamped with this moment.
    func send()
}

/// Writes events by HTTP.
final class PostingWriter: EventWriter {
    private let connections: [LoadConnection]
    private let path: String
    private let body: (TimedEvent) -> [UInt8]
    private var sent: Int64 = 0

    /// Opens 32 connections and uses them in turn, so that requests need not wait for each other's replies.
    static func open(
        _ address: SocketAddress, _ path: String, on loop: EventLoop, body: @escaping (TimedEvent) -> [UInt8]
    ) async throws -> PostingWriter {
        var connections: [LoadConnection] = []
        for _ in 0..<32 { connections.append(try await LoadConnection.open(address, on: loop)) }
        return PostingWriter(connections, path, body)
    }

    private init(_ connections: [LoadConnection], _ path: String, _ body: @escaping (TimedEvent) -> [UInt8]) {
        self.connections = connections
        self.path = path
        self.body = body
    }

    func send() {
        sent += 1
        let event = TimedEvent(sent, in: ChannelID(1), for: .measured)
        let request = LoadConnection.request("POST", path, body: String(decoding: body(event), as: UTF8.self))
        connections[Int(sent) % connections.count].send(request) { reply in
            if reply.status >= 300 { Progress.report("publishing: \(reply.status)") }
        }
    }
}

import EventLoop
import LoadClient
import TestSupport
import Wire

/// A server with one room, and how to fill the room and write into it.
protocol Contender: Sendable {
    var name: String { get }
    /// What the server costs.
    var meter: ProcessMeter { get }
    /// The namespace of each client; nil for raw WebSockets.
    var namespaces: (@Sendable (_ client: Int) -> String)? { get }
    /// Where client `number`, from 0 on, connects.
    func target(of number: Int) -> WebSocketFleet.Target
    /// Opens what events are written through; on its loop.
    func writer(on loop: EventLoop) async throws -> any EventWriter
    func stop() async
}

/// Writes events into the room of a contender.
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

    /// - Parameter connections: used in turn, so that one request need not wait for the answer to another.
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
            if reply.status >= 300 { Progress.tell("publishing: \(reply.status)") }
        }
    }
}

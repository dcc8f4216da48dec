import EventLoop
import Glibc
import HTTP
import WebSocket

/// The measured server: every body posted to `/publish` is sent to every WebSocket on `/subscribe`.
struct BroadcastServer {
    private let group: EventLoopGroup
    private let members: LoopLocal<Members>

    /// The sockets of one loop.
    private final class Members: WebSocketHandler {
        private var connections: [ObjectIdentifier: WebSocketConnection] = [:]

        func join(_ connection: WebSocketConnection) { connections[ObjectIdentifier(connection)] = connection }

        func send(_ frame: SharedFrame) { for connection in connections.values { connection.send(frame) } }

        func received(_ message: Message, on connection: WebSocketConnection) {}

        func ended(_ ending: Ending, on connection: WebSocketConnection) {
            connections[ObjectIdentifier(connection)] = nil
        }
    }

    init(loops: Int) {
        group = EventLoopGroup(count: loops)
        members = LoopLocal(group) { _ in Members() }
    }

    /// Serves on a free port until the process ends.
    func run() throws {
        let members = members
        let server = Server(on: group) { request in
            if request.path.elementsEqual("/publish".utf8) {
                let frame = SharedFrame(Message(.text, try await request.body.collect(upTo: 1 << 20)))
                members.forEach { $0.send(frame) }
                return Response(.accepted)
            }
            let handshake = try ServerHandshake(answering: HandshakeRequest(request))
            return .webSocket(handshake) { connection in
                members.current.join(connection)
                return members.current
            }
        }
        let address = try server.start(at: SocketAddress(ip: "127.0.0.1", port: 0)!)
        print(address.port)
        fflush(nil)
        EventLoop().run()
    }
}

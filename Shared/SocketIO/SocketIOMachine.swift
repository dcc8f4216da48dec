internal import EngineIO
internal import WebSocket
internal import Wire

/// One client of Socket.IO on the server, without I/O: messages and the application's calls go in, actions come out.
struct SocketIOMachine {
    enum Action {
        /// The client asks for a namespace: `accept` or `refuse` it.
        case join(String, SocketIOAuthentication)
        /// The client has left, or has withdrawn its request.
        case left(String)
        case event(SocketIOEvent, in: String)
        case acknowledged(SocketIOAcknowledgement, in: String)
        case send(SocketIOPacket)
        /// End the connection: the client violated the protocol.
        case close
    }

    private struct Membership {
        let namespace: String
        /// True once the client has joined; false while it has only asked.
        var isIn = false
    }

    private let version: EngineVersion
    private let limit: Int
    private var decoder: PacketDecoder
    private var memberships: [Membership] = []
    /// Whether the client has ever asked for a namespace.
    private(set) var hasJoined = false

    /// - Parameter version: the version of Engine.IO: 4 carries revision 5 of Socket.IO, 3 carries revision 4.
    init(_ version: EngineVersion, _ settings: SocketIOSettings) {
        self.version = version
        limit = settings.namespaces
        decoder = PacketDecoder(settings.limits)
    }

    /// The namespaces that the client has joined.
    var namespaces: [String] { memberships.filter(\.isIn).map(\.namespace) }

    func isIn(_ namespace: String) -> Bool { memberships.contains { $0.namespace == namespace && $0.isIn } }

    /// The connection is open. Clients of revision 4 are in `/` without asking.
    mutating func opened() -> [Action] {
        guard version == .v3 else { return [] }
        return join("/", .none)
    }

    // MARK: The client

    /// A message has arrived.
    mutating func received(_ message: Message) -> [Action] {
        do throws(PacketError) {
            guard let packet = try decoder.decode(message) else { return [] }
            return act(on: packet)
        } catch {
            return [.close]
        }
    }

    private mutating func act(on packet: ReceivedPacket) -> [Action] {
        var namespace = packet.namespace
        var authentication = packet.payload.map(SocketIOAuthentication.payload) ?? .none
        if version == .v3, let mark = namespace.firstIndex(of: "?") {
            guard let query = QueryParameters(String(namespace[namespace.index(after: mark)...])) else {
                return [.close]
            }
            authentication = .query(query)
            namespace = String(namespace[..<mark])
        }
        switch packet.kind {
        case .connect: return join(namespace, authentication)
        case .disconnect: return leave(namespace)
        case .event where isIn(namespace):
            guard let payload = packet.payload else { return [.close] }
            let name = payload[0].map { $0.string ?? String(decoding: $0.text, as: UTF8.self) }
            let event = SocketIOEvent(
                name: name ?? "", payload: payload, attachments: packet.attachments, id: packet.id)
            return [.event(event, in: namespace)]
        case .acknowledgement where isIn(namespace):
            guard let id = packet.id, let payload = packet.payload else { return [.close] }
            let answer = SocketIOAcknowledgement(id: id, payload: payload, attachments: packet.attachments)
            return [.acknowledged(answer, in: namespace)]
        case .event, .acknowledgement: return [.close]
        }
    }

    private mutating func join(_ namespace: String, _ authentication: SocketIOAuthentication) -> [Action] {
        guard !memberships.contains(where: { $0.namespace == namespace }), memberships.count < limit else {
            return [.close]
        }
        hasJoined = true
        memberships.append(Membership(namespace: namespace))
        return [.join(namespace, authentication)]
    }

    /// Leaving a namespace twice is not an error: the server may have removed the client at the same time.
    private mutating func leave(_ namespace: String) -> [Action] { remove(namespace) ? [.left(namespace)] : [] }

    private mutating func remove(_ namespace: String) -> Bool {
        guard let index = memberships.firstIndex(where: { $0.namespace == namespace }) else { return false }
        memberships.remove(at: index)
        return true
    }

    // MARK: The application

    /// Accepts the client into a namespace that it asked for.
    mutating func accept(_ namespace: String, id: String) -> [Action] {
        guard let index = memberships.firstIndex(where: { $0.namespace == namespace && !$0.isIn }) else { return [] }
        memberships[index].isIn = true
        let payload = version == .v3 ? nil : JSONWriter.bytes { $0.object { $0.field("sid", id) } }
        return [.send(SocketIOPacket(.connect, in: namespace, payload: payload))]
    }

    /// Refuses a namespace that the client asked for.
    mutating func refuse(_ namespace: String, message: String) -> [Action] {
        guard memberships.contains(where: { $0.namespace == namespace && !$0.isIn }), remove(namespace) else {
            return []
        }
        let payload = JSONWriter.bytes { json in
            if version == .v3 { json.value(message) } else { json.object { $0.field("message", message) } }
        }
        return [.send(SocketIOPacket(.connectError, in: namespace, payload: payload))]
    }

    /// Removes the client from a namespace.
    mutating func disconnect(_ namespace: String) -> [Action] {
        guard isIn(namespace), remove(namespace) else { return [] }
        return [.send(SocketIOPacket(.disconnect, in: namespace))]
    }
}

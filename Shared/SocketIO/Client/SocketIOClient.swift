public import EngineIO
internal import EventLoop
public import WebSocket
internal import Wire

/// A client of Socket.IO on an Engine.IO session: performs the actions of its `SocketIOMachine`.
///
/// - Note: `@unchecked Sendable` because it is confined to its session's loop; call every method there.
public final class SocketIOClient: EngineHandler, @unchecked Sendable {
    /// The Engine.IO session of the client.
    public let engine: EngineSocket
    private var machine: SocketIOMachine
    private var handler: (any SocketIOHandler)?
    private var timer: LoopTimer?

    /// Takes over a session that has just opened; `open` makes the application's handler.
    public init(
        _ engine: EngineSocket, settings: SocketIOSettings = SocketIOSettings(),
        open: (SocketIOClient) -> any SocketIOHandler
    ) {
        self.engine = engine
        machine = SocketIOMachine(engine.version, settings)
        handler = open(self)
        perform(machine.opened())
        if let timeout = settings.connectTimeout, !machine.hasJoined {
            timer = engine.loop.schedule(after: timeout) { engine.close() }
        }
    }

    /// The namespaces that the client has joined.
    public var namespaces: [String] { machine.namespaces }

    public func isIn(_ namespace: String) -> Bool { machine.isIn(namespace) }

    // MARK: For the application

    /// Accepts the client into a namespace that it asked for, and returns its id there.
    @discardableResult
    public func accept(_ namespace: String) -> String {
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<15).map { _ in UInt8.random(in: 0...255, using: &random) }
        let id = Base64.encode(bytes.span, .url)
        perform(machine.accept(namespace, id: id))
        return id
    }

    /// Refuses a namespace that the client asked for.
    public func refuse(_ namespace: String, message: String) { perform(machine.refuse(namespace, message: message)) }

    /// Removes the client from a namespace; the connection stays.
    public func disconnect(_ namespace: String) { perform(machine.disconnect(namespace)) }

    /// Sends a packet if the client is in its namespace.
    public func send(_ packet: SocketIOPacket) {
        guard machine.isIn(packet.namespace) else { return }
        for message in packet.messages { engine.send(message) }
    }

    /// Sends a packet that was encoded for many clients; the caller knows that the client is in its namespace.
    public func send(_ shared: SharedPacket) { engine.send(shared) }

    // MARK: From the connection

    public func received(_ message: Message, on socket: EngineSocket) {
        perform(machine.received(message))
        if timer != nil && machine.hasJoined {
            timer?.cancel()
            timer = nil
        }
    }

    public func heartbeat(_ sign: EngineHeartbeat, on socket: EngineSocket) { handler?.heartbeat(sign, from: self) }

    public func congested(_ socket: EngineSocket) { handler?.congested(self) }

    public func drained(_ socket: EngineSocket) { handler?.drained(self) }

    public func ended(_ ending: EngineEnding, on socket: EngineSocket) {
        timer?.cancel()
        timer = nil
        let handler = self.handler
        self.handler = nil
        handler?.ended(ending, from: self)
    }

    private func perform(_ actions: [SocketIOMachine.Action]) {
        for action in actions {
            switch action {
            case .join(let namespace, let authentication): handler?.join(namespace, authentication, from: self)
            case .left(let namespace): handler?.left(namespace, from: self)
            case .event(let event, let namespace): handler?.received(event, in: namespace, from: self)
            case .acknowledged(let answer, let namespace): handler?.acknowledged(answer, in: namespace, from: self)
            case .send(let packet): for message in packet.messages { engine.send(message) }
            case .close: engine.close()
            }
        }
    }
}

extension SharedPacket {
    /// A packet without attachments that is encoded once for many clients.
    public convenience init(_ packet: SocketIOPacket, compressingIn pool: CompressionPool? = nil) {
        precondition(packet.attachments.isEmpty, "attachments are sent to each client by itself")
        self.init(text: packet.text, compressingIn: pool)
    }
}

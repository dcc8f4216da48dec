public import EventLoop

/// An HTTP/1.1 server on all loops of a group.
///
/// Requests are answered on the loop of their connection, one request of a connection at a time and in order.
public final class Server: Sendable {
    /// Answers a request, in a task that is cancelled when the client goes away.
    ///
    /// A thrown `Refusal` or `BodyError` is answered with its status, any other error with `Refusal.handlerFailed`.
    public typealias Handler = @Sendable (Request) async throws -> Response

    private let parts: [ServerLoop]
    private let slots: ConnectionSlots

    /// Makes a server that accepts nothing before `start`.
    public init(
        on group: EventLoopGroup, configuration: ServerConfiguration = ServerConfiguration(),
        handler: @escaping Handler
    ) {
        let slots = ConnectionSlots(limit: configuration.connections)
        self.slots = slots
        parts = group.loops.map { ServerLoop(on: $0, configuration: configuration, slots: slots, handler: handler) }
    }

    /// Listens at `address` and returns it with the port that was assigned. A server may listen at several addresses.
    ///
    /// - Parameter isShared: whether another process of this user may listen there as well; the kernel then spreads the
    ///   connections over both. Otherwise the address must be free.
    @discardableResult
    public func start(at address: SocketAddress, isShared: Bool = false) throws(SocketError) -> SocketAddress {
        if address.port != 0, !isShared { try Listener.checkFree(address) }
        var bound = address
        var listeners: [Listener] = []
        for part in parts {
            let listener = try Listener(
                on: part.loop, address: bound,
                refused: { part.configuration.refusedConnection(.descriptors) }, accept: { part.accept($0, $1) })
            listeners.append(listener)
            bound = listeners[0].address
        }
        for (part, listener) in zip(parts, listeners) { part.loop.execute { part.start(listener) } }
        return bound
    }

    /// Connections open now, those of upgraded protocols included.
    public var connectionCount: Int { slots.count }

    /// Stops accepting, lets running requests finish, and closes the rest after `limit`. No connection that a client has
    /// opened before is lost.
    ///
    /// - Parameter idle: how long a connection without a request stays open. A client that closes idle connections sooner
    ///   never sends a request on a connection that is being closed. Each reply that begins in this time ends its connection.
    public func drain(within limit: Duration, idle: Duration = .zero) async {
        await withTaskGroup(of: Void.self) { group in
            for part in parts {
                group.addTask(executorPreference: part.loop) { await part.drain(within: limit, idle: idle) }
            }
        }
    }

    /// Closes the ports and all connections at once.
    public func stop() async { await drain(within: .zero) }
}

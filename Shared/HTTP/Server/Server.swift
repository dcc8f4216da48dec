public import EventLoop

/// An HTTP/1.1 server on all loops of a group.
///
/// Requests are answered on the loop of their connection, one request of a connection at a time and in order.
public final class Server: Sendable {
    /// Says what is to be done about a request, and waits for nothing.
    public typealias Handler = @Sendable (Request) -> Answer

    private let parts: [ServerLoop]
    private let places: ConnectionPlaces

    /// Makes a server that accepts nothing before `start`.
    public init(
        on group: EventLoopGroup, configuration: ServerConfiguration = ServerConfiguration(),
        answering handler: @escaping Handler
    ) {
        let places = ConnectionPlaces(limit: configuration.connections)
        self.places = places
        parts = group.loops.map { ServerLoop(on: $0, configuration: configuration, places: places, handler: handler) }
    }

    /// Makes a server that works on every request in a task.
    public convenience init(
        on group: EventLoopGroup, configuration: ServerConfiguration = ServerConfiguration(),
        handler: @escaping @Sendable (Request) async throws -> Response
    ) {
        self.init(on: group, configuration: configuration) { request in .work { try await handler(request) } }
    }

    /// Listens at `address`, where nobody else may, and returns it with the port that it has got.
    /// A server may listen at several.
    @discardableResult
    public func start(at address: SocketAddress) throws(SocketError) -> SocketAddress {
        if address.port != 0 { try Listener.checkFree(address) }
        var bound = address
        var listeners: [Listener] = []
        for part in parts {
            listeners.append(try Listener(on: part.loop, address: bound) { part.accept($0, $1) })
            bound = listeners[0].address
        }
        for (part, listener) in zip(parts, listeners) { part.loop.execute { part.start(listener) } }
        return bound
    }

    /// Connections open now, without those handed over by an upgrade.
    public var connectionCount: Int { places.count }

    /// Stops to accept, closes idle connections, lets running requests finish, and cuts off what is not done in time.
    public func drain(within limit: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            for part in parts { group.addTask(executorPreference: part.loop) { await part.drain(within: limit) } }
        }
    }

    /// Closes the ports and all connections at once.
    public func stop() async { await drain(within: .zero) }
}

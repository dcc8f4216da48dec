public import EventLoop
public import WebSocket

/// Thousands of WebSocket clients on one loop.
///
/// - Note: Loop-local.
public final class WebSocketFleet {
    /// The server of a client.
    public struct Target: Sendable {
        public var address: SocketAddress
        public var host: String
        /// Path and query.
        public var target: String
        /// Headers of the handshake.
        public var headers: [(name: String, value: String)] = []
        /// Offered in the handshake if not nil.
        public var deflate: DeflatePolicy?

        public init(address: SocketAddress, target: String) {
            self.address = address
            host = address.description
            self.target = target
        }
    }

    /// A client failed to connect or to join.
    public struct Failed: Error {
        public let reason: String

        public init(reason: String) { self.reason = reason }
    }

    public let loop: EventLoop
    /// The opened clients, in order of opening.
    public private(set) var clients: [FleetClient] = []
    /// Called with each message of each client.
    public var received: (FleetClient, Message) -> Void = { _, _ in }
    /// Called for each client that has ended.
    public var ended: (FleetClient, Ending) -> Void = { _, _ in }
    private var options = WebSocketOptions()
    private let pool = CompressionPool()

    /// Makes a fleet without clients.
    public init(on loop: EventLoop) {
        self.loop = loop
        options.limits = SizeLimits(message: 16 << 20)
    }

    deinit { abort() }

    /// Opens `count` more clients, `atOnce` at a time.
    public func connect(_ count: Int, to target: Target, atOnce: Int = 64) async throws {
        try await connect(count, atOnce: atOnce) { _ in target }
    }

    /// Opens `count` more clients, each to its own target, `atOnce` at a time. A client counts as opening until
    /// `isReady` returns.
    public func connect(
        _ count: Int, atOnce: Int = 64, to target: @escaping @Sendable (_ number: Int) -> Target,
        isReady: @escaping @Sendable (FleetClient) async throws -> Void = { _ in }
    ) async throws {
        let first = clients.count
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<count {
                if index >= atOnce { try await group.next() }
                let number = first + index
                group.addTask(executorPreference: loop) { [fleet = Unchecked(self)] in
                    try await isReady(try await fleet.value.open(number, target(number)))
                }
            }
            try await group.waitForAll()
        }
    }

    private func open(_ number: Int, _ target: Target) async throws -> FleetClient {
        let socket = try await StreamSocket.connect(to: target.address, timeout: .seconds(30), on: loop)
        let handshake = ClientHandshake(
            host: target.host, target: target.target, headers: target.headers, deflate: target.deflate)
        let opening = OpeningSocket()
        socket.start(opening)
        socket.write(handshake.request)
        let head = try await opening.head()
        let deflate: DeflateParameters?
        do {
            deflate = try handshake.accept(head: head)
        } catch {
            throw Failed(reason: error.reason)
        }
        let client = FleetClient(number: number, fleet: self)
        clients.append(client)
        socket.handOver(
            to: WebSocketConnection(socket, role: .client, options: options, deflate: deflate, pool: pool) {
                client.connection = $0
                return client
            })
        return client
    }

    /// Ends all clients without a close handshake.
    public func abort() {
        for client in clients { client.connection?.abort() }
        clients = []
    }
}

/// A client of a fleet.
///
/// - Note: `@unchecked Sendable` because it runs on its fleet's loop.
public final class FleetClient: WebSocketHandler, @unchecked Sendable {
    /// The number of the client in order of the connection attempts, from 0.
    public let number: Int
    public internal(set) var connection: WebSocketConnection?
    private weak let fleet: WebSocketFleet?

    init(number: Int, fleet: WebSocketFleet) {
        self.number = number
        self.fleet = fleet
    }

    public func received(_ message: Message, on connection: WebSocketConnection) { fleet?.received(self, message) }

    public func ended(_ ending: Ending, on connection: WebSocketConnection) {
        self.connection = nil
        fleet?.ended(self, ending)
    }
}

/// Passes a loop-local value to a task that runs on the same loop.
///
/// - Note: `@unchecked Sendable` because it is only passed between tasks of one loop.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

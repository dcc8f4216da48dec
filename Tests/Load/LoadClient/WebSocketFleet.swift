public import EventLoop
public import WebSocket

/// Thousands of WebSocket clients on one loop.
///
/// - Note: Confined to its loop.
public final class WebSocketFleet {
    /// Where all clients connect.
    public struct Target: Sendable {
        public var address: SocketAddress
        public var host: String
        /// Path and query.
        public var target: String
        /// Sent with each handshake.
        public var headers: [(name: String, value: String)] = []
        /// Offered where given.
        public var deflate: DeflatePolicy?

        public init(address: SocketAddress, target: String) {
            self.address = address
            host = address.description
            self.target = target
        }
    }

    /// A client that could not connect, or did not get what it asked for.
    public struct Failed: Error {
        public let reason: String

        public init(reason: String) { self.reason = reason }
    }

    public let loop: EventLoop
    /// Those that are open, in the order in which they opened.
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

    /// Opens `count` more clients, `atOnce` at a time.
    public func connect(_ count: Int, to target: Target, atOnce: Int = 64) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                if number >= atOnce { try await group.next() }
                group.addTask(executorPreference: loop) { [fleet = Unchecked(self)] in
                    try await fleet.value.open(target)
                }
            }
            try await group.waitForAll()
        }
    }

    private func open(_ target: Target) async throws {
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
        let client = FleetClient(number: clients.count, fleet: self)
        clients.append(client)
        socket.handOver(
            to: WebSocketConnection(socket, role: .client, options: options, deflate: deflate, pool: pool) {
                client.connection = $0
                return client
            })
    }

    /// Ends all clients without a close handshake.
    public func abort() {
        for client in clients { client.connection?.abort() }
        clients = []
    }
}

/// One of a fleet.
public final class FleetClient: WebSocketHandler {
    /// Its place in the fleet.
    public let number: Int
    public internal(set) var connection: WebSocketConnection?
    private unowned let fleet: WebSocketFleet

    init(number: Int, fleet: WebSocketFleet) {
        self.number = number
        self.fleet = fleet
    }

    public func received(_ message: Message, on connection: WebSocketConnection) { fleet.received(self, message) }

    public func ended(_ ending: Ending, on connection: WebSocketConnection) {
        self.connection = nil
        fleet.ended(self, ending)
    }
}

/// Something of a loop's for a task that runs on that loop.
///
/// - Note: `@unchecked Sendable` because it is only passed between tasks of one loop.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

public import EventLoop
public import WebSocket

/// Thousands of Socket.IO clients on one loop, each with a WebSocket and one namespace. They answer heartbeats.
///
/// - Note: Loop-local.
public final class SocketIOFleet {
    /// The server and namespace of a client.
    public struct Seat: Sendable {
        public var target: WebSocketFleet.Target
        /// Such as `/ws-channel-1`.
        public var namespace: String
        /// The payload of the join; empty for none.
        public var payload = ""

        public init(target: WebSocketFleet.Target, namespace: String) {
            self.target = target
            self.namespace = namespace
        }
    }

    /// Called with each event of each client: the text of the packet, such as `42/ws-channel-1,["channel",{}]`.
    public var received: (FleetClient, [UInt8]) -> Void = { _, _ in }
    /// Called for each client that has ended.
    public var ended: (FleetClient, Ending) -> Void = { _, _ in }
    private let sockets: WebSocketFleet
    /// The namespace of each client, with its payload.
    private var joining: [String] = []
    /// The state of each client's join.
    private var joins: [Join] = []
    private var hasFailed = false

    private enum Join {
        case pending
        case awaited(CheckedContinuation<Void, any Error>)
        case settled(Result<Void, WebSocketFleet.Failed>)
    }

    /// Makes a fleet without clients.
    public init(on loop: EventLoop) {
        sockets = WebSocketFleet(on: loop)
        sockets.received = { [weak self] in self?.take($1, of: $0) }
        sockets.ended = { [weak self] client, ending in
            self?.settle(client, .failure(.init(reason: "closed: \(ending.code.rawValue) \(ending.reason)")))
            self?.ended(client, ending)
        }
    }

    public var clients: [FleetClient] { sockets.clients }

    /// Opens `count` more clients, `atOnce` at a time, and returns when all are in their namespaces.
    public func connect(
        _ count: Int, atOnce: Int = 64, to seat: @escaping @Sendable (_ number: Int) -> Seat
    ) async throws {
        joining += Array(repeating: "", count: count)
        joins += Array(repeating: .pending, count: count)
        hasFailed = false
        let fleet = Unchecked(self)
        try await sockets.connect(count, atOnce: atOnce) { number in
            // Once for each client: a seat may have a token to sign.
            let seat = seat(number)
            fleet.value.joining[number] = "\(seat.namespace),\(seat.payload)"
            return seat.target
        } isReady: {
            try await fleet.value.joined($0)
        }
    }

    /// Closes some clients without a handshake.
    public func abort(_ numbers: Set<Int>) {
        for client in clients where numbers.contains(client.number) { client.connection?.abort() }
    }

    /// Closes all clients without a handshake.
    public func abort() { sockets.abort() }

    private func joined(_ client: FleetClient) async throws {
        if case .settled(let outcome) = joins[client.number] { return try outcome.get() }
        try await withCheckedThrowingContinuation { joins[client.number] = .awaited($0) }
    }

    private func take(_ message: Message, of client: FleetClient) {
        let bytes = message.bytes
        switch (bytes.first, bytes.count > 1 ? bytes[1] : nil) {
        case (UInt8(ascii: "4"), UInt8(ascii: "2")): received(client, bytes)
        case (UInt8(ascii: "2"), _): client.connection?.send(.text("3"))
        case (UInt8(ascii: "0"), _): client.connection?.send(.text("40\(joining[client.number])"))
        case (UInt8(ascii: "4"), UInt8(ascii: "0")): settle(client, .success(()))
        default: settle(client, .failure(.init(reason: String(decoding: bytes, as: UTF8.self))))
        }
    }

    private func settle(_ client: FleetClient, _ outcome: Result<Void, WebSocketFleet.Failed>) {
        settle(client.number, outcome)
        // One failure fails all joins, so that `connect` does not wait for the others.
        guard case .failure = outcome, !hasFailed else { return }
        hasFailed = true
        for number in joins.indices { settle(number, outcome) }
    }

    private func settle(_ number: Int, _ outcome: Result<Void, WebSocketFleet.Failed>) {
        if case .settled = joins[number] { return }
        if case .awaited(let waiter) = joins[number] { waiter.resume(with: outcome) }
        joins[number] = .settled(outcome)
    }
}

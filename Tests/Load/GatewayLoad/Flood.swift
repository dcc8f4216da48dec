import EventLoop
import Glibc
import LoadClient
import Synchronization
import TestSupport
import WebSocket

/// The cost of a few sockets without an identity to the others. Eight of them send short frames that inflate to a megabyte, as
/// fast as the gateway takes them. When they are cut off they connect again, together as often as one address may.
struct Flood {
    var sockets = 200
    var attackers = 8
    var seconds = 20

    private static let pause = Duration.milliseconds(100)

    func run(on loop: EventLoop) async throws -> [Figure] {
        let server = MeasuredGateway(fixture: try await .start(RoomLayout(users: sockets)))
        let writer = try await server.writer(on: loop)
        let subscribers = SubscriberFleet(sockets, on: loop)
        try await subscribers.connect(to: server)
        try await subscribers.awaitReady { writer.send() }
        let quiet = try await measure(subscribers, writer, on: loop)
        let attack = Attack(port: server.fixture.port, sockets: attackers)
        let attacked = try await measure(subscribers, writer, on: loop)
        let sent = attack.stop()
        subscribers.disconnect()
        await server.stop()
        return [
            Figure(part: "f", what: "ms to a socket at p99, \(sockets) in a room", ours: quiet, decimals: 1),
            Figure(
                part: "f", what: "the same under attack by \(attackers) sockets", ours: attacked,
                target: ("at most 20 ms more", attacked <= quiet + 20), decimals: 1),
            Figure(part: "f", what: "connections of the attackers", ours: Double(sent.connections), decimals: 0),
            Figure(part: "f", what: "frames that inflate to 990 KB", ours: Double(sent.frames), decimals: 0),
        ]
    }

    /// The p99 in milliseconds of events at a steady rate; all must arrive.
    private func measure(
        _ subscribers: SubscriberFleet, _ writer: any EventWriter, on loop: EventLoop
    ) async throws -> Double {
        subscribers.reset()
        let events = Int(Duration.seconds(seconds) / Self.pause)
        for _ in 0..<events {
            writer.send()
            try await loop.sleep(for: Self.pause)
        }
        _ = await subscribers.awaitDeliveries(events * sockets, within: .seconds(600))
        try subscribers.check(events)
        return subscribers.percentile(0.99)
    }
}

/// Threads that each keep a socket open and flood it.
///
/// - Note: `@unchecked Sendable` because the counts are atomic and the rest is constant.
private final class Attack: @unchecked Sendable {
    private let isStopped = Atomic(false)
    private let connections = Atomic(0)
    private let frames = Atomic(0)
    private let ended = DispatchCounter()
    private let count: Int

    /// Microseconds between two connections of a socket: 200 a second together, the default of `handshake_address_rate`.
    private static let pause: UInt32 = 40_000

    init(port: UInt16, sockets: Int) {
        count = sockets
        let bomb = Self.bomb()
        for _ in 0..<sockets {
            Task {
                await onOwnThread { [self] in
                    while !isStopped.load(ordering: .relaxed) { flood(port, bomb) }
                    ended.add()
                }
            }
        }
    }

    /// Ends the attack and returns its counts.
    func stop() -> (connections: Int, frames: Int) {
        isStopped.store(true, ordering: .relaxed)
        ended.wait(for: count)
        return (connections.load(ordering: .relaxed), frames.load(ordering: .relaxed))
    }

    private func flood(_ port: UInt16, _ bomb: [UInt8]) {
        usleep(Self.pause)
        guard let connection = try? RawConnection(port: port, patience: .seconds(5)) else { return }
        connection.resetWhenClosed()
        connections.add(1, ordering: .relaxed)
        let handshake = """
            GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r
            Host: x\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Version: 13\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            Sec-WebSocket-Extensions: permessage-deflate\r
            \r

            """
        guard (try? connection.send(handshake)) != nil, (try? connection.receive(until: "\r\n\r\n")) != nil else {
            return
        }
        while !isStopped.load(ordering: .relaxed), (try? connection.send(bomb)) != nil {
            frames.add(1, ordering: .relaxed)
        }
    }

    /// A compressed frame of about 1 KB: a pong, and 990,000 bytes after it.
    private static func bomb() -> [UInt8] {
        let pool = CompressionPool()
        var client = WebSocketMachine(
            role: .client, limits: SizeLimits(), deflate: DeflateParameters(), pool: pool)
        return client.frame(of: .text("3" + String(repeating: "x", count: 990_000))) ?? []
    }
}

/// Counts threads that have ended.
private final class DispatchCounter: Sendable {
    private let count = Atomic(0)

    func add() { count.add(1, ordering: .releasing) }

    func wait(for wanted: Int) { while count.load(ordering: .acquiring) < wanted { usleep(1000) } }
}

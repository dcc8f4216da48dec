import Glibc
import ServiceSupport
import TestSupport
import Testing

@testable import realtime_gateway

@Suite("Draining")
struct DrainTests {
    private static let users: ClosedRange<Int64> = 1...5
    /// A gateway that did not wait would go on within much less than this; one that does waits ten times as long.
    private static let standstill = Duration.milliseconds(200)

    @Test("A draining gateway waits until a slow Redis has its session cursors")
    func positions() async throws {
        try await GatewayHarness.use { harness in
            for attempt in 1...5 {
                let (written, time) = try await Self.drain(harness, saying: "\(attempt)")
                if written == Array(Self.users) { return }
                // It waits for two seconds. If the machine stood still, Redis may have resumed later: then another one drains.
                guard time >= .seconds(2), attempt < 5 else {
                    Issue.record("only the positions of \(written) are written")
                    return
                }
                try await harness.redis.command("FLUSHALL")
            }
        }
    }

    /// Drains a gateway with a socket of each user while Redis stands still. Returns the users with positions that it has written, and
    /// how long it took until its last command.
    private static func drain(
        _ harness: GatewayHarness, saying text: String
    ) async throws -> (written: [Int64], time: Duration) {
        // Redis stands still until all sockets have ended, which takes a busy machine seconds.
        let node = try await harness.startProcess(["node": "a", "redis_timeout": "60s"])
        var clients: [SocketClient] = []
        for user in users { clients.append(try await harness.listener(user, port: node.port)) }
        try await harness.say(text)
        for client in clients { try await client.until("a message") { $0.texts("/ws-channel-7") == [text] } }
        let monitor = try RawConnection(port: harness.redis.port)
        try monitor.send("MONITOR\r\n")
        _ = try monitor.receive(until: "+OK\r\n")
        // Of the sockets of a loop the first is written down now, and the others when Redis has answered that.
        harness.redis.signal(SIGSTOP)
        let began = ContinuousClock.now
        async let status = node.process.stop(SIGTERM, patience: .seconds(30))
        for client in clients { try await client.until("its end") { $0.isEnded } }
        try await pause(for: standstill)
        harness.redis.signal(SIGCONT)
        // The last that a gateway says.
        let said = try await onOwnThread { Result { try monitor.receive(until: #""DEL" "gateway:a""#) } }.get()
        let time = ContinuousClock.now - began
        #expect(await status == 0)
        return (users.filter { said.contains("position:\(1000 + $0):channel-7") }, time)
    }
}

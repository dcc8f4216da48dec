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
            // Redis stands still until all sockets have ended, which takes a busy machine seconds.
            let node = try await harness.startProcess(["node": "a", "redis_timeout": "60s"])
            var clients: [SocketClient] = []
            for user in Self.users { clients.append(try await harness.listener(user, port: node.port)) }
            try await harness.say("1")
            for client in clients { try await client.until("a message") { $0.texts("/ws-channel-7") == ["1"] } }
            let monitor = try RawConnection(port: harness.redis.port)
            try monitor.send("MONITOR\r\n")
            _ = try monitor.receive(until: "+OK\r\n")
            // Of the sockets of a loop the first is written down now, and the others when Redis has answered that.
            harness.redis.signal(SIGSTOP)
            async let status = node.process.stop(SIGTERM, patience: .seconds(30))
            for client in clients { try await client.until("its end") { $0.isEnded } }
            try await pause(for: Self.standstill)
            harness.redis.signal(SIGCONT)
            #expect(await status == 0)
            // The last that a gateway says.
            let said = try await onOwnThread { Result { try monitor.receive(until: #""DEL" "gateway:a""#) } }.get()
            for user in Self.users {
                #expect(said.contains("position:\(1000 + user):channel-7"), "the position of \(user) is not written")
            }
        }
    }
}

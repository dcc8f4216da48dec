import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Presence while a gateway cannot publish it", .serialized)
struct PresenceOutageTests {
    /// Whether some loop of a gateway has user 2.
    private static let isThere = """
        for _, key in ipairs(redis.call('KEYS', 'online:*')) do
            if redis.call('HEXISTS', key, '2') == 1 then return 1 end
        end
        return 0
        """

    /// The newest state of a user that a client was told.
    private static func state(of user: Int64, _ record: SocketClient.Record) -> String? {
        let told = record.events.filter { $0.name == "presence" }.compactMap { $0.body["users"]?[named: "\(user)"] }
        return told.last?.string
    }

    @Test(
        "R16: A user that leaves while their gateway cannot tell of it is offline once the gateway is connected again")
    func untold() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let watcher = try await harness.device(1, port: node.port)
                let leaving = try await harness.device(2, port: node.port)
                try watcher.send(#"42/me,1["presence",{"users":["2"]}]"#)
                try await watcher.until("the user") { Self.state(of: 2, $0) == "online" }
                // The subscriptions go on, so that the watcher's loop does not know that it misses something.
                try await harness.redis.command("ACL", "SETUSER", "default", "-publish")
                leaving.drop()
                try await eventually("the end of the grace") {
                    try await harness.redis.command("EVAL", Self.isThere, "0") == ["0"]
                }
                try await harness.redis.command("ACL", "SETUSER", "default", "+publish")
                try await harness.redis.command("CLIENT", "KILL", "TYPE", "normal")
                try await watcher.until("the departure") { Self.state(of: 2, $0) == "offline" }
            }
        }
    }
}

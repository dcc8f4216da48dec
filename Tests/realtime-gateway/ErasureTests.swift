import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Erasure of deleted accounts", .serialized)
struct ErasureTests {
    private static let answers = ErasureAnswers(
        "realtime",
        [
            "push": .erased("user_id = $user"), "push_job": .kept("names no user"),
            "push_decision": .kept("numbers of members, for `push_decision_memory`"),
            "schema_migrations": .kept("names no user"),
        ],
        exports: [
            "push": .elsewhere("copies of messages on their way to the devices that the account's export lists"),
            "push_job": .withheld("names no user"),
            "push_decision": .withheld("members of rooms, as numbers"), "schema_migrations": .withheld("names no user"),
        ])

    @Test("D4: every table has an answer to deletion and export, and no planted row is left")
    func everyTable() async throws {
        let folder = TemporaryFolder("maru-push")
        try await GatewayHarness.use { harness in
            try await harness.withNode(try harness.pushSettings(folder)) { _ in
                #expect(try await Self.answers.unanswered(in: harness.database) == [])
                _ = try await harness.database.run(
                    sql: """
                        insert into realtime.push (kind, room, seq, device, user_id, body, due_at, created_at)
                        values (1, 1, 1, 'd', 5, 'a text', 9000000000000000, 1), (1, 1, 1, 'e', 6, 'a text', 9000000000000000, 1)
                        """)
                #expect(try await Self.answers.tables(with: "5", in: harness.database) == ["push"])
                try await publish(harness, user: 5)
                #expect(try await Self.answers.tables(with: "5", in: harness.database) == [])
                #expect(try await Self.answers.tables(with: "6", in: harness.database) == ["push"])
            }
        }
    }

    @Test("A gateway without pushes erases those of the time when push was on")
    func withoutPushes() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { _ in
                _ = try await harness.database.run(
                    sql: """
                        insert into realtime.push (kind, room, seq, device, user_id, body, due_at, created_at)
                        values (1, 1, 1, 'd', 5, 'a text', 9000000000000000, 1)
                        """)
                try await publish(harness, user: 5)
                #expect(try await Self.answers.tables(with: "5", in: harness.database) == [])
            }
        }
    }

    private func publish(_ harness: GatewayHarness, user: Int) async throws {
        let body = #"{"user_id":"\#(user)","round":1,"messages":false}"#
        try await harness.redis.command(["XADD", "facts:auth", "*", "id", "1", "type", "user.deleted", "body", body])
        // A fact that could not be handled is handled again after a minute.
        try await eventually(within: .seconds(120), "the report") {
            harness.peers.change { $0.calls.contains("POST /internal/erasures/\(user)/realtime") }
        }
    }
}

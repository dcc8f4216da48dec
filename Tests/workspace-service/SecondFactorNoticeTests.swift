import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Notices of required second factors", .serialized)
struct SecondFactorNoticeTests {
    /// A workspace of user 1, with a second factor, with members 2 to 4, one of them (3) with a factor, and a bot.
    private func workspace(_ harness: WorkspaceHarness) async throws -> Int64 {
        let id = Int64(try await harness.makeWorkspace("team"))
        for user in [2, 3, 4, 99] as [Int64] { try await harness.invite(user, to: id) }
        harness.peers.change { $0.withSecondFactor = [1, 3] }
        _ = try await harness.sql(
            """
            insert into second_factor values (1, true, 1), (3, true, 1);
            insert into bot values (\(id), 99, 1, 1)
            """)
        return id
    }

    private func set(_ harness: WorkspaceHarness, _ id: Int64, _ json: String) async throws {
        let reply = try await harness.call("PUT", "/v1/workspaces/\(id)/settings", json: json)
        #expect(reply.status == 200, "\(reply.text)")
    }

    /// The notices without their keys. One without an answer in time is sent again under its key.
    private func told(_ harness: WorkspaceHarness) -> [String] {
        harness.peers.now.noticed.withoutRepeats.map { $0.split(separator: " ").dropLast().joined(separator: " ") }
            .sorted()
    }

    private func untilSent(_ harness: WorkspaceHarness) async throws {
        try await eventually(within: .seconds(30), "the last notice") {
            try await harness.sql("select count(*) from second_factor_notice where send_at is not null") == "0"
        }
    }

    @Test("A20: members without a second factor get one mail when their workspace requires it, and bots get none")
    func once() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await workspace(harness)
            try await set(harness, id, #"{"joinRequests":true}"#)
            #expect(try await harness.sql("select count(*) from second_factor_notice") == "0")
            try await set(harness, id, #"{"requiresSecondFactor":true}"#)
            let due = try await harness.sql(
                """
                select count(*) from second_factor_notice n join workspace w on w.id = n.workspace
                where n.due_at = w.second_factor_from
                """)
            #expect(due == "2")
            try await untilSent(harness)
            let notices = ["2 second_factor_required team", "4 second_factor_required team"]
            #expect(told(harness) == notices)
            // A rule that changes again and again writes no more mails that day.
            try await set(harness, id, #"{"secondFactorGraceDays":3}"#)
            try await set(harness, id, #"{"requiresSecondFactor":false}"#)
            try await set(harness, id, #"{"requiresSecondFactor":true}"#)
            try await untilSent(harness)
            #expect(told(harness) == notices)
            // The next day is another matter.
            _ = try await harness.sql("update second_factor_notice set made_at = 1")
            try await set(harness, id, #"{"secondFactorGraceDays":5}"#)
            try await untilSent(harness)
            #expect(told(harness) == (notices + notices).sorted())
        }
    }

    @Test("A notice that auth-service does not confirm is sent again under the same key; a lifted rule sends none")
    func repeated() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await workspace(harness)
            harness.peers.change { $0.isNoticeDown = true }
            try await set(harness, id, #"{"requiresSecondFactor":true}"#)
            try await eventually(within: .seconds(30), "a refused notice") { !harness.peers.now.noticed.isEmpty }
            harness.peers.change { $0.isNoticeDown = false }
            // The leases end.
            _ = try await harness.sql("update second_factor_notice set send_at = 1 where send_at is not null")
            try await untilSent(harness)
            #expect(Set(told(harness)).count == 2)
            #expect(Set(harness.peers.now.noticed).count == 2)
            #expect(harness.peers.now.noticed.count > 2)

            let other = Int64(try await harness.makeWorkspace("other"))
            try await harness.invite(4, to: other)
            harness.peers.change { $0.isNoticeDown = true }
            try await set(harness, other, #"{"requiresSecondFactor":true}"#)
            try await set(harness, other, #"{"requiresSecondFactor":false}"#)
            #expect(
                try await harness.sql("select count(*) from second_factor_notice where workspace = \(other)") == "0")
        }
    }
}

import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Graces of required second factors", .serialized)
struct SecondFactorGraceTests {
    @Test("A20: a member that leaves and comes back gets no new grace, until the workspace lifts the rule")
    func comingBack() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            let path = "/v1/workspaces/\(id)"
            try await harness.invite(2, to: id)
            // Members have three days from their joining on, and this one joined four days ago.
            _ = try await harness.sql(
                """
                insert into second_factor values (1, true, 1);
                update workspace set second_factor_from = 1, second_factor_grace = 259200000 where id = \(id);
                update member set joined_at = joined_at - 345600000, second_factor_due = 1 where user_id = 2
                """)
            func untilLockedOut() async throws {
                try await eventually(within: .seconds(30), "the end of the grace") {
                    try await harness.call("GET", path, user: 2).errorCode == "E08"
                }
            }
            try await untilLockedOut()
            let dues = "select second_factor_due < joined_at from member where user_id = 2"
            for _ in 1...2 {
                #expect(try await harness.call("DELETE", path + "/exit", user: 2).status == 200)
                let kept = "select count(*) from second_factor_grace where user_id = 2 and workspace = \(id)"
                #expect(try await harness.sql(kept) == "1")
                try await harness.invite(2, to: id)
                #expect(["t", ""].contains(try await harness.sql(dues)))
                try await untilLockedOut()
            }
            // A member that comes for the first time has the whole grace.
            try await harness.invite(3, to: id)
            let due = try await harness.sql("select second_factor_due - joined_at from member where user_id = 3")
            #expect(due == "259200000")

            let lifted = try await harness.call(
                "PUT", path + "/settings", json: #"{"requiresSecondFactor":false}"#)
            #expect(lifted.status == 200, "\(lifted.text)")
            #expect(try await harness.call("GET", path, user: 2).status == 200)
            #expect(try await harness.sql("select count(*) from second_factor_grace") == "0")
        }
    }
}

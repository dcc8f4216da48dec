import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Limits", .serialized)
struct LimitTests {
    @Test(
        "The default limits allow a home screen that makes two concurrent calls for each of 1,000 rooms"
    )
    func burst() async throws {
        try await WorkspaceHarness.use(["user_rate": "", "user_burst": ""]) { harness in
            let fixture = try await Fixture.make(1, in: harness)[0]
            let path = "/v1/workspaces/\(fixture.workspace)/channels/\(fixture.channel)/members"
            let statuses = try await withThrowingTaskGroup(of: [Int].self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        var statuses: [Int] = []
                        for _ in 0..<125 { statuses.append(try await harness.call("GET", path).status) }
                        return statuses
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(statuses.count == 2000)
            #expect(statuses.allSatisfy { $0 == 200 })
        }
    }

    @Test("A user over the rate limit gets E98 in the form of the client profile; other users are unaffected")
    func hammering() async throws {
        try await WorkspaceHarness.use(["user_rate": "1", "user_burst": "20"]) { harness in
            let start = ContinuousClock.now
            let replies = try await withThrowingTaskGroup(of: (String, HTTPCall.Reply).self) { group in
                for turn in 0..<80 {
                    let key = turn % 2 == 0 ? "collatalk" : "native"
                    group.addTask { (key, try await harness.call("GET", "/v1/workspaces", key: key)) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let refilled = Int((ContinuousClock.now - start).components.seconds) + 1
            let served = replies.count { $0.1.status == 200 }
            #expect((20...20 + refilled).contains(served))
            for (key, reply) in replies where reply.status != 200 {
                #expect(reply.errorCode == "E98")
                #expect(reply.status == (key == "native" ? 429 : 400))
                #expect(Int(reply.headers["retry-after"] ?? "") ?? 0 > 0)
            }
            let other = try await harness.call("GET", "/v1/workspaces", user: 2)
            #expect(other.status == 200)
        }
    }
}

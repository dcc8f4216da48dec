import ServiceSupport
import TestSupport
import Testing

@testable import chat_service

@Suite("Admission", .serialized)
struct AdmissionTests {
    @Test("A service that has just started rejects no valid token, even under concurrent calls")
    func start() async throws {
        try await ChatHarness.use { chat in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for turn in 0..<32 {
                    group.addTask {
                        try await chat.call("GET", "/v1/workspaces/3/dms", user: Int64(turn % 4 + 1)).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 200, count: 32))
            let forged = TokenIssuer().token(user: 1, key: "native")
            let stranger = try await chat.instances[0].call("GET", "/v1/workspaces/3/dms", token: forged)
            #expect(stranger.errorCode == "E02")
        }
    }
}

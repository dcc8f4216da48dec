import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Scheduled messages of disabled users", .serialized)
struct DisabledAuthorTests {
    private static let list = "/v1/users/me/scheduled"

    @Test("R15: a message is never sent while its author is disabled; it can be sent again once they are enabled")
    func disabled() async throws {
        try await ChatHarness.use { chat in
            @Sendable func schedule(_ content: String, by user: Int64) async throws {
                let json = #"{"content":"\#(content)","at":"\#(Timestamp.now + .seconds(3600))"}"#
                let reply = try await chat.call("POST", "\(ChatHarness.channel)/scheduled", user: user, json: json)
                #expect(reply.status == 201, "\(reply.text)")
            }
            @Sendable func makeDue() async throws {
                try await chat.database.database.run(sql: "update chat.scheduled set send_at = 1, due_at = 1")
            }
            @Sendable func items() async throws -> [JSONValue] {
                try await chat.call("GET", Self.list).json["items"]?.elements.map(Array.init) ?? []
            }
            try await schedule("하나", by: 1)
            try await schedule("둘", by: 2)
            chat.peers.change { $0.disabled = [1] }
            try await makeDue()
            try await eventually("a failure") { try await items().first?["state"]?.string == "failed" }
            let failed = try #require(try await items().first)
            #expect(failed["error"]?["errorCode"]?.string == "E14")
            #expect(failed["error"]?["detail"]?.string == "Your account was disabled when the message was due.")
            try await eventually("the message of the other author") { try await chat.history().count == 1 }
            #expect(try await chat.history().map { $0["content"]?.string } == ["둘"])
            chat.peers.change { $0.disabled = [] }
            let again = try await chat.call(
                "PUT", "\(Self.list)/\(failed["id"]?.string ?? "")",
                json: #"{"at":"\#(Timestamp.now + .seconds(3600))"}"#)
            #expect(try again.json["state"]?.string == "waiting")
            try await makeDue()
            try await eventually("the message") { try await chat.history().count == 2 }
            // The message is committed before it leaves the list.
            try await eventually("an empty list") { try await items().isEmpty }
        }
    }
}

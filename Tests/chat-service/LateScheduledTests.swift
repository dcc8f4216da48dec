import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Late scheduled messages", .serialized)
struct LateScheduledTests {
    private static let list = "/v1/users/me/scheduled"

    @Test("R15: a message that is hours late has its attempts, at its first time and when its author sends it again")
    func attempts() async throws {
        try await ChatHarness.use { chat in
            try await chat.database.database.run(
                sql: """
                    create function chat.refuse() returns trigger language plpgsql as
                    'begin raise ''no''; end';
                    create trigger refuse before insert on chat.message for each row execute function chat.refuse()
                    """)
            let at = Timestamp.now + .seconds(3600)
            let reply = try await chat.call(
                "POST", "\(ChatHarness.channel)/scheduled", json: #"{"content":"하나","at":"\#(at)"}"#)
            let path = "\(Self.list)/\(try reply.json["id"]?.string ?? reply.text)"
            // As after an outage of the service.
            let past = (Timestamp.now - .seconds(3 * 3600)).milliseconds
            try await chat.database.database.run(
                sql: "update chat.scheduled set (send_at, due_at) = (\(past), \(past))")
            @Sendable func untilTriedAgain() async throws {
                try await eventually("another attempt") {
                    let state = "select attempts > 1 and failed_code is null from chat.scheduled"
                    return try await chat.database.ask(state) == "t"
                }
            }
            try await untilTriedAgain()
            try await chat.database.database.run(sql: "update chat.scheduled set (attempts, due_at) = (60, \(past))")
            try await eventually("the failure") {
                let item = try await chat.call("GET", Self.list).json["items"]?[0]
                return item?["state"]?.string == "failed" && item?["error"]?["errorCode"]?.string == "E99"
            }
            let again = try await chat.call("PUT", path, json: #"{"content":"둘"}"#)
            #expect(try again.json["state"]?.string == "waiting", "\(again.text)")
            try await untilTriedAgain()
            try await chat.database.database.run(sql: "drop trigger refuse on chat.message")
            try await eventually("the message") {
                try await chat.database.ask("select count(*) from chat.scheduled") == "0"
            }
            #expect(try await chat.history().map { $0["content"]?.string } == ["둘"])
        }
    }
}

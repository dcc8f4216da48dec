import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Messages for operators", .serialized)
struct OperatorMessageTests {
    private static func show(_ chat: ChatHarness, _ place: String) async throws -> HTTPCall.Reply {
        try await chat.instances[0].operatorCall("GET", "/operator/rooms/\(place)")
    }

    @Test("A message is waiting until the outbox has published it, and shows no text")
    func states() async throws {
        try await ChatHarness.use { chat in
            for number in 1...11 { _ = try await chat.send("secret \(number)") }
            try await eventually("the publishing of all") {
                try await chat.database.ask("select count(*) from chat.outbox where published_at is null") == "0"
            }
            let shown = try await Self.show(chat, "channel-7/messages/1")
            #expect(!shown.text.contains("secret"))
            let message = try shown.json
            #expect(message["state"]?.string == "published")
            #expect(message["publishedAt"]?.string != nil && message["committedAt"]?.string != nil)
            #expect(message["user_id"]?.string == "1" && message["seq"]?.int == 1)
            // The row of message 11 holds its number and not that of message 1.
            try await chat.database.database.run(
                sql: "update chat.outbox set published_at = null, type = 'held' where body like '%,7,1]%'")
            #expect(try await Self.show(chat, "channel-7/messages/1").json["publishedAt"] == nil)
            #expect(try await Self.show(chat, "channel-7/messages/11").json["publishedAt"] != nil)
        }
    }

    @Test("While Redis is away a message waits")
    func waiting() async throws {
        try await ChatHarness.use { chat in
            await chat.redis.kill()
            _ = try await chat.send("late")
            #expect(try await Self.show(chat, "channel-7/messages/1").json["state"]?.string == "waiting")
            try await chat.redis.start()
            try await eventually("the publishing") {
                try await Self.show(chat, "channel-7/messages/1").json["state"]?.string == "published"
            }
        }
    }

    @Test(
        "A message that does not exist is not found",
        arguments: ["channel-7/messages/9", "channel-7/messages/x", "7/messages/1"])
    func nothing(place: String) async throws {
        try await ChatHarness.use { chat in
            let reply = try await Self.show(chat, place)
            #expect(reply.status == 404)
        }
    }
}

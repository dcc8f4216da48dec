import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Quotas", .serialized)
struct QuotaTests {
    @Test("A user and a workspace have a limited number of messages in a day; more get E98")
    func messages() async throws {
        try await ChatHarness.use(["user_daily_messages": "3", "workspace_daily_messages": "5"]) { chat in
            func send(_ user: Int64) async throws -> String {
                let reply = try await chat.send("hello", user: user)
                if reply.status == 201 { return "ok" }
                #expect(reply.status == 429)
                #expect(Int(reply.headers["retry-after"] ?? "") ?? 0 > 1000)
                return reply.errorCode
            }
            for _ in 1...3 { #expect(try await send(1) == "ok") }
            #expect(try await send(1) == "E98", "the limit of a user")
            let overSocket = try await chat.instances[0].internalCall(
                "POST", "/internal/rooms/channel-7/messages",
                json: #"{"user_id":"1","session":"1001","profile":"native","content":"hello","client_id":"c"}"#)
            #expect(overSocket.status == 429 && overSocket.errorCode == "E98", "\(overSocket.text)")
            #expect(try overSocket.json["retry_after"]?.int ?? 0 > 1_000_000, "the time to wait is told as by HTTP")
            #expect(Int(overSocket.headers["retry-after"] ?? "") ?? 0 > 1000, "no gateway repeats the call before that")
            for _ in 1...2 { #expect(try await send(2) == "ok") }
            #expect(try await send(3) == "E98", "the limit of a workspace")
            let elsewhere = try await chat.call(
                "POST", "/v1/workspaces/4/channels/9/chats", user: 1, json: #"{"content":"hello"}"#)
            #expect(elsewhere.errorCode == "E98", "the limit of a user counts all workspaces")
            let count = try await chat.database.ask("select count(*) from chat.message")
            #expect(count == "5")
        }
    }
}

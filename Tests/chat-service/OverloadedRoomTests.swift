import ServiceSupport
import TestSupport
import Testing

@testable import chat_service

@Suite("Overloaded rooms")
struct OverloadedRoomTests {
    private struct NeverRefused: Error {}

    @Test("A send to an overloaded room gets E98 with Retry-After and leaves nothing behind")
    func ahead() async throws {
        try await ChatHarness.use { chat in
            let sent = try await chat.send("one")
            #expect(sent.status == 201)
            for (key, status) in [("native", 429), ("collatalk", 400)] {
                let (reply, left) = try await Self.sendAhead(chat, key: key)
                #expect(reply.status == status)
                #expect(reply.errorCode == "E98")
                #expect(reply.headers["retry-after"] == "1")
                #expect(left)
            }
        }
    }

    /// Sends to a room whose clock is almost two seconds ahead, and returns the reply and whether nothing is left of the send. The
    /// real clock catches up meanwhile, so a send that came too late on a busy machine is repeated.
    private static func sendAhead(
        _ chat: ChatHarness, key: String
    ) async throws -> (reply: HTTPCall.Reply, leftNothing: Bool) {
        let kept =
            "select (select count(*) from chat.message), last_seq, (select count(*) from chat.file) from chat.room"
        for _ in 0..<100 {
            // Before the clock is set, so that the send comes soon after that.
            let (before, files) = (try await chat.database.ask(kept), chat.storedFiles)
            try await chat.database.database.run(
                sql: "update chat.room set last_at = (extract(epoch from clock_timestamp()) * 1000)::bigint + 1990")
            let reply = try await chat.call(
                "POST", "/v1/workspaces/3/channels/7/chats", key: key,
                headers: [("Content-Type", "multipart/form-data; boundary=\(Upload.boundary)")],
                body: Upload.form([.png], [("content", "two")]))
            if reply.status < 300 { continue }
            return (reply, try await chat.database.ask(kept) == before && chat.storedFiles == files)
        }
        throw NeverRefused()
    }
}

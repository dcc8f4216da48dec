import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("A database without space", .serialized)
struct FullDatabaseTests {
    @Test("History can be read by HTTP and by a socket, and read markers stay where they are")
    func history() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.send("first")
            try await chat.database.database.run(
                sql: """
                    create function chat.refuse() returns trigger language plpgsql as $$
                        begin raise 'no space left on device' using errcode = '53100'; end $$;
                    create trigger refuse before insert on chat.read_position for each row
                        execute function chat.refuse();
                    """)
            #expect(try await chat.history(user: 2).map { $0["content"]?.string } == ["first"])
            let reply = try await chat.instances[0].internalCall(
                "POST", "/internal/rooms/channel-7/history",
                json: #"{"user_id":"2","session":"1002","profile":"native","limit":50,"after_seq":0}"#)
            #expect(reply.status == 200, "\(reply.text)")
            let texts = try reply.json["result"]?.list.map { $0["content"]?.string }
            #expect(texts == ["first"])
            let markers = try await chat.database.ask("select count(*) from chat.read_position")
            #expect(markers == "0")
        }
    }
}

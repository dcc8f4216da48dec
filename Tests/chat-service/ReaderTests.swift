import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Read receipts", .serialized)
struct ReaderTests {
    private static func readers(
        _ chat: ChatHarness, user: Int64 = 1, _ room: String = ChatHarness.channel
    ) async throws -> String {
        try await chat.call("GET", "\(room)/readers", user: user).text
    }

    @Test("Members see the read markers of others, set by reading and sending; members without receipts are left out")
    func members() async throws {
        try await ChatHarness.use { chat in
            for (user, text) in [(1, "하나"), (2, "둘"), (1, "셋")] as [(Int64, String)] {
                _ = try await chat.send(text, user: user)
            }
            _ = try await chat.call("PUT", "\(ChatHarness.channel)/read", user: 3, json: #"{"seq":1}"#)
            let all =
                #"[{"user_id":"1","seq":3},{"user_id":"2","seq":2},{"user_id":"3","seq":1},{"user_id":"4","seq":0}]"#
            #expect(try await Self.readers(chat) == all)
            #expect(try await Self.readers(chat, user: 4) == all)
            try await chat.set(user: 2, readReceipts: false)
            #expect(
                try await Self.readers(chat)
                    == #"[{"user_id":"1","seq":3},{"user_id":"3","seq":1},{"user_id":"4","seq":0}]"#)
            #expect(try await Self.readers(chat, user: 2) == "[]")
            try await chat.set(user: 2, readReceipts: true)
            #expect(try await Self.readers(chat, user: 2) == all)
        }
    }

    @Test("A DM shows its two members")
    func dm() async throws {
        try await ChatHarness.use { chat in
            let dm = try await chat.dm(1, 2)
            _ = try await chat.call("POST", "\(dm)/chats", user: 1, json: #"{"content":"hi"}"#)
            #expect(try await Self.readers(chat, dm) == #"[{"user_id":"1","seq":1},{"user_id":"2","seq":0}]"#)
        }
    }

    @Test("A room of 200 members shows each of them, and one of 201 shows counts", arguments: [200, 201])
    func boundary(_ count: Int) async throws {
        try await ChatHarness.use { chat in
            let members = Set(1...Int64(count))
            chat.peers.change { $0.channels[7]?.members = members }
            _ = try await chat.send("하나")
            let readers = try await chat.call("GET", "\(ChatHarness.channel)/readers").json.list
            if count > ReadReceipts.mostShown {
                #expect(readers.allSatisfy { $0["user_id"] == nil && $0["count"] != nil })
            } else {
                #expect(Set(readers.map { $0["user_id"]?.string }) == Set(members.map(String.init)))
            }
        }
    }

    @Test("A room of more than 200 members shows how many have read up to each message")
    func large() async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { $0.channels[7]?.members = Set(1...1500) }
            _ = try await chat.database.write((1...300).map { .sample("\($0)", author: 2000) })
            try await chat.database.database.run(
                sql: """
                    insert into chat.read_position (workspace, user_id, kind, room, seq)
                    select 3, n, 1, 7, case when n <= 100 then 300 else n % 299 + 1 end from generate_series(1, 1400) n
                    """)
            let reply = try await chat.call("GET", "\(ChatHarness.channel)/readers")
            let counts = try reply.json.elements.map(Array.init) ?? []
            #expect(counts.count == 200)
            #expect(counts.first?["seq"]?.int == 300 && counts.first?["count"]?.int == 100)
            #expect(counts.allSatisfy { $0["user_id"] == nil })
            try await chat.set(readReceipts: false)
            #expect(try await Self.readers(chat) == "[]")
        }
    }
}

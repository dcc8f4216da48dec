import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Erasure of deleted accounts", .serialized)
struct UserErasureTests {
    private static let answers = ErasureAnswers(
        "chat",
        [
            "reaction": .erased("user_id = $user"), "saved_message": .erased("user_id = $user"),
            "read_position": .erased("user_id = $user"), "user_settings": .erased("user_id = $user"),
            "room_notify": .erased("user_id = $user"), "draft": .erased("user_id = $user"),
            "scheduled": .erased("user_id = $user"), "message_version": .erased("written_by = $user"),
            "file": .erased("author = $user"), "storage": .erased("kind = 1 and id = $user"),
            "message": .kept("messages stay with a number for an author, unless the owner wishes them away"),
            "message_change": .kept("names no user"), "search_entry": .kept("as `message`"),
            "search_message": .kept("as `message`"), "reply": .kept("names no user"),
            "thread": .kept("the newest authors of replies, as numbers"),
            "thread_follower": .erased("user_id = $user"), "mention": .erased("user_id = $user"),
            "search_progress": .kept("names no user"), "search_partition": .kept("names no user"),
            "room": .kept("names no user"),
            "dm": .kept("the other user's history; it names a number"),
            "removal": .kept("an order point; it names a number"),
            "pin": .kept("pins of a room stay; they name a number"),
            "told_position": .kept("names a session, and goes within a week"),
            "report": .erased("reporter = $user"), "standing": .erased("user_id = $user"),
            "report_copy": .kept("what was reported, for `report_retention` after the answer; it names a number"),
            "word_filter": .kept("names no user"),
            "outbox": .kept("events of messages, for at most an hour"), "schema_migrations": .kept("names no user"),
        ])

    /// Publishes the fact of a deletion as auth-service does.
    private func publish(_ chat: ChatHarness, user: Int = 2, round: Int = 1, messages: Bool) async throws {
        let body = #"{"user_id":"\#(user)","round":\#(round),"messages":\#(messages)}"#
        try await chat.redis.command(
            "XADD", "facts:auth", "*", "id", "\(round)", "type", "user.deleted", "body", body)
        try await eventually(within: .seconds(30), "the report of round \(round)") {
            chat.peers.change { $0.erased.contains("\(user) \(round)") }
        }
    }

    /// Gives user 2 a row in every table that has rows of users.
    private func plant(_ chat: ChatHarness) async throws {
        func expect(_ method: String, _ path: String, _ json: String? = nil, user: Int64 = 2) async throws {
            let reply = try await chat.call(method, path, user: user, json: json)
            #expect(reply.status < 300, "\(method) \(path): \(reply.text)")
        }
        let channel = ChatHarness.channel
        _ = try await chat.send("of another user")
        _ = try await chat.upload([.png], content: "with a file", user: 2)
        _ = try await chat.send("first text", user: 2)
        try await expect("PUT", channel + "/chats/3", #"{"content":"second text"}"#)
        try await expect("POST", channel + "/chats", #"{"content":"@n2","thread":1}"#, user: 1)
        for seq in 1...2 { try await expect("PUT", channel + "/chats/\(seq)/reactions/%F0%9F%91%8D") }
        try await expect("PUT", channel + "/chats/1/saved")
        try await expect("PUT", channel + "/notify", #"{"level":"none"}"#)
        try await expect("PUT", channel + "/draft", #"{"content":"a draft"}"#)
        try await expect(
            "POST", channel + "/scheduled", #"{"content":"later","at":"\#(Timestamp.now + .seconds(86_400))"}"#)
        try await expect("PUT", channel + "/read", #"{"seq":3}"#)
        _ = try await chat.set(user: 2)
        try await expect("POST", "/v1/reports", #"{"type":"message","room":"channel-7","seq":1,"reason":"spam"}"#)
        try await chat.database.database.run(
            sql: "insert into chat.standing (workspace, user_id, warnings) values (3, 2, 1)")
    }

    @Test("D4: every table has an answer to the deletion of an account, and no planted row is left")
    func everyTable() async throws {
        try await ChatHarness.use { chat in
            let database = chat.database.database
            #expect(try await Self.answers.unanswered(in: database) == [])
            try await plant(chat)
            #expect(try await Self.answers.tables(with: "2", in: database) == Self.answers.erasing)
            try await publish(chat, messages: false)
            #expect(try await Self.answers.tables(with: "2", in: database) == [])
            // The messages stay, and their reactions of others would.
            let texts = try await chat.history().map { $0["content"]?.string }
            #expect(texts == ["of another user", "with a file", "second text"])
            #expect(try await chat.database.ask("select count(*) from chat.message where rev > 0") == "3")
        }
    }

    @Test("D1: messages go too if the owner wishes it, with their files, and no others")
    func messages() async throws {
        try await ChatHarness.use { chat in
            try await plant(chat)
            let dm = try await chat.dm(2, 1)
            let sent = try await chat.call("POST", dm + "/chats", user: 2, json: #"{"content":"in private"}"#)
            #expect(sent.status < 300)
            try await publish(chat, messages: true)
            let texts = try await chat.history().map { $0["content"]?.string }
            #expect(texts == ["of another user", "", ""])
            #expect(
                try await chat.database.ask("select count(*) from chat.message where author = 2 and deleted_at is null")
                    == "0")
            try await eventually("the end of the files") { chat.storedFiles.isEmpty }
            // A repeated fact, as after a crash, changes nothing.
            try await publish(chat, round: 2, messages: true)
            #expect(try await chat.database.ask("select max(rev) from chat.room where kind = 1") != "0")
        }
    }
}

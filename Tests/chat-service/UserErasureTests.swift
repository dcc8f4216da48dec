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
            "scheduled": .erased("user_id = $user"),
            "scheduled_sent": .erased("user_id = $user"), "message_version": .erased("written_by = $user"),
            "file": .erased("author = $user"), "storage": .erased("kind = 1 and id = $user"),
            "message": .kept("messages stay with a number for an author, unless the owner wishes them away"),
            "message_change": .kept("names no user"), "search_entry": .kept("as `message`"),
            "search_message": .kept("as `message`"), "reply": .kept("names no user"),
            "thread": .kept("the newest authors of replies, as numbers"),
            "thread_follower": .erased("user_id = $user"), "mention": .erased("user_id = $user"),
            "search_progress": .kept("names no user"), "search_partition": .kept("names no user"),
            "room": .kept("names no user"), "workspace_filling": .kept("names no user"),
            "workspace_lease": .kept("names no user"), "busy_workspace": .kept("names no user"),
            "dm": .kept("the other user's history; it names a number"),
            "removal": .kept("an order point; it names a number"),
            "pin": .kept("pins of a room stay; they name a number"),
            "told_position": .kept("names a session, and goes within a week"),
            "report": .erased("reporter = $user"), "standing": .erased("user_id = $user"),
            "report_file": .kept("files of what was reported, as long as the report"),
            "report_picture": .kept("the picture of what was reported, as long as the report"),
            "report_copy": .kept("what was reported, for `report_retention` after the answer; it names a number"),
            "word_filter": .kept("names no user"),
            "webhook_subscription": .kept("belongs to its workspace; it names its maker as a number"),
            "webhook_queue": .kept("names no user"),
            "webhook_delivery": .kept("events for `webhook_memory`; they name users as numbers"),
            "webhook_reaction": .kept("events for `webhook_memory`; they name users as numbers"),
            "command": .kept("belongs to its workspace; it names its bot as a number"),
            "command_run": .erased("user_id = $user"),
            "incoming_webhook": .kept("belongs to its channel; it names its maker as a number"),
            "outbox": .kept("events of messages, for at most an hour"), "schema_migrations": .kept("names no user"),
        ],
        exports: [
            "reaction": .section("reactions"), "saved_message": .section("saved"),
            "read_position": .section("readMarkers"), "user_settings": .section("settings"),
            "room_notify": .section("notifications"), "draft": .section("drafts"), "scheduled": .section("scheduled"),
            "scheduled_sent": .elsewhere("names of calls, without a text; rooms have the messages"),
            "message_version": .section("earlierTexts"), "file": .section("files"), "storage": .section("storage"),
            "message": .section("messages"), "dm": .section("directMessages"), "thread_follower": .section("threads"),
            "mention": .section("mentions"), "reply": .elsewhere("messages name the root of their thread"),
            "thread": .withheld("summaries of a room"), "message_change": .withheld("names no user"),
            "search_entry": .elsewhere("an index of messages"), "search_message": .elsewhere("an index of messages"),
            "search_progress": .withheld("names no user"), "room": .withheld("names no user"),
            "removal": .withheld("order points of a room"), "pin": .withheld("pins belong to a room"),
            "told_position": .withheld("the state of deliveries to a session"),
            "report": .section("reports"), "standing": .section("standings"),
            "report_file": .withheld("files in reports of others, so that nobody learns who reported"),
            "report_picture": .withheld("pictures in reports of others, so that nobody learns who reported"),
            "report_copy": .withheld("copies in reports of others, so that nobody learns who reported"),
            "word_filter": .withheld("names no user"), "incoming_webhook": .withheld("belongs to a channel"),
            "command": .withheld("belongs to a workspace"),
            "command_run": .elsewhere("runs of minutes without a text; rooms have the answers"),
            "webhook_subscription": .withheld("belongs to a workspace"), "webhook_queue": .withheld("names no user"),
            "webhook_delivery": .withheld("events of a workspace"),
            "webhook_reaction": .elsewhere("events of reactions"), "search_partition": .withheld("names no user"),
            "outbox": .elsewhere("events of messages"), "schema_migrations": .withheld("names no user"),
            "workspace_filling": .withheld("names no user"), "workspace_lease": .withheld("names no user"),
            "busy_workspace": .withheld("names no user"),
        ])

    /// The service's data about a user.
    private func export(_ chat: ChatHarness, of user: Int) async throws -> ExportedRecords {
        try await ExportedRecords(of: "\(user)") { target in
            let reply = try await chat.instances[0].internalCall("GET", target)
            #expect(reply.status == 200, "\(target): \(reply.text)")
            return try reply.json
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
            sql: """
                insert into chat.standing (workspace, user_id, warnings) values (3, 2, 1);
                insert into chat.command_run (secret, workspace, bot, command, kind, room, user_id, expires_at)
                    values ('', 3, 5, 'a', 1, 7, 2, 9000000000000);
                insert into chat.scheduled_sent values (3, 2, 1, 7, 'c', 1, 1, 1, 1);
                """)
    }

    @Test("D4: every table has an answer to deletion and export; the export has the planted rows, and none is left")
    func everyTable() async throws {
        try await ChatHarness.use { chat in
            let database = chat.database.database
            #expect(try await Self.answers.unanswered(in: database) == [])
            try await plant(chat)
            #expect(try await Self.answers.tables(with: "2", in: database) == Self.answers.erasing)
            let dm = try await chat.dm(2, 1)
            #expect(
                try await chat.call("POST", dm + "/chats", user: 2, json: #"{"content":"in private"}"#).status < 300)
            let export = try await export(chat, of: 2)
            #expect(Self.answers.sections(missingIn: export.sections.keys) == [])
            #expect(export.texts("messages", "content") == ["with a file", "second text", "in private"])
            #expect(export.texts("earlierTexts", "content") == ["first text"])
            try await chat.erase(2, messages: false)
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
            try await chat.erase(2, messages: true)
            let texts = try await chat.history().map { $0["content"]?.string }
            #expect(texts == ["of another user", "", ""])
            #expect(
                try await chat.database.ask("select count(*) from chat.message where author = 2 and deleted_at is null")
                    == "0")
            try await eventually("the end of the files") { chat.storedFiles.isEmpty }
            // A repeated fact, as after a crash, changes nothing.
            try await chat.erase(2, round: 2, messages: true)
            #expect(try await chat.database.ask("select max(rev) from chat.room where kind = 1") != "0")
        }
    }

    @Test("D1: an account is erased while the erasure of another one is held up")
    func beside() async throws {
        // Not by a lock: a statement of another account may be behind the one that waits, on the same connection.
        let channels = "/internal/users/2/channels"
        // Longer than any wait of the test.
        try await ChatHarness.use(["internal_timeout": "3600s"]) { chat in
            _ = try await chat.send("of user 3", user: 3)
            chat.peers.change { $0.heldPaths = [channels] }
            try await chat.announceDeletion(of: 2, messages: true)
            try await eventually("a question of the erasure") { chat.peers.now.count(channels) > 0 }
            do { try await chat.erase(3, messages: true) } catch { Issue.record(error) }
            #expect(!chat.peers.change { $0.erased.contains("2 1") })
            chat.peers.change { $0.heldPaths = [] }
            #expect(try await chat.history().map { $0["content"]?.string } == [""])
            try await chat.erase(2, messages: true)
        }
    }

    @Test("D2: an export goes through all pages and names no message of others; its files are read in pieces")
    func export() async throws {
        try await ChatHarness.use { chat in
            let channel = ChatHarness.channel
            // More than one page, between messages of others.
            _ = try await chat.database.ask(
                """
                with sent as (
                    insert into chat.message (workspace, kind, room, seq, author, session, content, files, created_at)
                    select 3, 1, 7, n, case when n % 3 = 0 then 1 else 2 end, 1, 'text ' || n, '{}', n
                    from generate_series(1, 900) as n returning seq
                )
                insert into chat.room (kind, id, workspace, name, last_seq, last_at)
                select 1, 7, 3, 'general', count(*), 900 from sent
                on conflict on constraint room_pkey do update set last_seq = excluded.last_seq
                """)
            let sent = try await chat.upload([.png], content: "with a file", user: 2)
            #expect(try await chat.call("DELETE", channel + "/chats/2", user: 2).status == 200)
            let export = try await export(chat, of: 2)
            let texts = export.texts("messages", "content")
            #expect(texts == (1...900).filter { $0 % 3 != 0 && $0 != 2 }.map { "text \($0)" } + ["with a file"])
            #expect(export.pages > 6)
            #expect(export.files.count == 1 && export.texts("files", "entry") == export.files.map { "files/" + $0 })
            let name = try #require(export.files.first)
            let target = "/internal/users/2/export/file?name=\(PercentEncoding.strict.encode(name))"
            let piece = try await chat.instances[0].internalCall("GET", target).json
            let bytes = try #require(piece["bytes"]?.string.flatMap { Base64.decode($0.utf8.span, .standard) })
            #expect(piece["size"]?.int == bytes.count && sent.status < 300)
            let rest = try await chat.instances[0].internalCall("GET", target + "&offset=\(bytes.count - 2)").json
            let end = Array(bytes.suffix(2))
            let encoded = Base64.encode(end.span, .standard)
            #expect(rest["bytes"]?.string == encoded)
            // A file of another user, and a name that is none of ours.
            for (user, name) in [("1", name), ("2", "channelChats/none.png"), ("2", "../secret"), ("2", "")] {
                let encoded = PercentEncoding.strict.encode(name)
                let reply = try await chat.instances[0].internalCall(
                    "GET", "/internal/users/\(user)/export/file?name=\(encoded)")
                #expect(reply.status == 404, "\(name)")
            }
            for cursor in ["nonsense", "rooms:7", "rooms:channel-7:none:1", "unknown:1"] {
                let reply = try await chat.instances[0].internalCall("GET", "/internal/users/2/export?cursor=\(cursor)")
                #expect(reply.status == 422, "\(cursor): \(reply.text)")
            }
        }
    }
}

import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Histories", .serialized)
struct HistoryTests {
    /// Writes messages at midnight UTC, 2 ms later and a day later.
    private static func fill(_ chat: ChatHarness) async throws {
        let midnight = Timestamp("2024-07-01T00:00:00.000Z")!
        _ = try await chat.database.write([.sample("a", author: 2), .sample("b", author: 2)], at: midnight)
        _ = try await chat.database.write([.sample("c", author: 2)], at: midnight + .seconds(86_400))
    }

    @Test("A date cursor is exclusive at millisecond precision, and early for profiles that say so")
    func cursors() async throws {
        try await ChatHarness.use { chat in
            try await Self.fill(chat)
            func seqs(_ cursor: String, _ key: String) async throws -> [Int] {
                try await chat.history("?cursor_date=\(cursor)", of: key == "sooda" ? "general" : "7", key: key)
                    .map { $0["seq"]?.int ?? 0 }
            }
            let cases: [(cursor: String, key: String, seqs: [Int])] = [
                ("", "native", [1, 2, 3]),
                ("2024-06-30T23:59:59.999Z", "native", [1, 2, 3]),
                ("2024-07-01T00:00:00.000Z", "native", [2, 3]),
                ("2024-07-01T00:00:00.001Z", "native", [2, 3]),
                ("2024-07-01T00:00:00.002Z", "native", [3]),
                ("2024-07-01T09:00:00.002%2B09:00", "native", [3]),
                ("2024-07-02T00:00:00.000Z", "native", []),
                ("9999-12-31T23:59:59.999Z", "native", []),
                ("2024-06-30T23:59:59.998Z", "collabee", [1, 2, 3]),
                ("2024-06-30T23:59:59.999Z", "collabee", [2, 3]),
                ("2024-07-01T00:00:00.001Z", "collabee", [3]),
                // Without a zone, `cursor_date` is UTC.
                ("2024-07-01%2000:00:00", "sooda", [2, 3]),
                ("2024-07-01%2009:00:00", "sooda", [3]),
            ]
            for expected in cases {
                let found = try await seqs(expected.cursor, expected.key)
                #expect(found == expected.seqs, "\(expected.cursor) of \(expected.key)")
            }
            let naive = try await chat.call(
                "GET", "/v1/workspaces/3/channels/7/chats?cursor_date=2024-07-01%2000:00:00")
            #expect(naive.errorCode == "E11")
        }
    }

    @Test("A date without a zone in the future means the time of joining, or the beginning of a DM")
    func sinceJoining() async throws {
        try await ChatHarness.use { chat in
            try await Self.fill(chat)
            let joinedAt = Timestamp("2024-07-01T00:00:00.001Z")!
            chat.peers.change { $0.joinedAt = joinedAt.milliseconds }
            let future = "?cursor_date=9999-12-31%2023:59:59"
            let found = try await chat.history(future, of: "general", key: "sooda")
            #expect(found.map { $0["seq"]?.int } == [2, 3])
            // With a zone it is a moment after all messages.
            let exact = try await chat.history("?cursor_date=9999-12-31T23:59:59.000Z", of: "general", key: "sooda")
            #expect(exact.isEmpty)
            // An older workspace-service does not tell the time.
            chat.peers.change { $0.joinedAt = nil }
            try await chat.redis.command("PUBLISH", "invalidate:access", #"{"workspace_id":"3"}"#)
            try await eventually("all messages") {
                try await chat.history(future, of: "general", key: "sooda").count == 3
            }
            let path = "/v1/workspaces/3/dms/2/chats"
            let room = try await chat.call("GET", path, key: "sooda").json["room_id"]?.int ?? 0
            _ = try await chat.call(
                "POST", "/v1/workspaces/3/dms/\(room)/chats", user: 2, key: "sooda", json: #"{"content":"psst"}"#)
            let dms = try await chat.call("GET", path + future, key: "sooda")
            #expect(try dms.json["chats"]?.elements?.map { $0 }.count == 1)
        }
    }

    @Test("Unread counts by date read a date without a zone as KST and never include own messages")
    func unreadByDate() async throws {
        try await ChatHarness.use { chat in
            try await Self.fill(chat)
            let cases: [(query: String, key: String, count: Int)] = [
                ("?after=2024-07-01T00:00:00.000Z", "native", 2),
                ("?after=2024-07-01T09:00:00.002%2B09:00", "native", 1),
                ("?after=2024-07-01%2009:00:00", "sooda", 2),
                ("?after=2024-07-01%2000:00:00", "sooda", 3),
                ("?after=2024-07-02%2009:00:00", "sooda", 0),
            ]
            for expected in cases {
                let count = try await chat.unread(
                    expected.query, user: 1, of: expected.key == "sooda" ? "general" : "7", key: expected.key)
                #expect(count == expected.count, "\(expected.query) of \(expected.key)")
            }
            let own = try await chat.unread("?after=2024-07-01T00:00:00.000Z", user: 2)
            #expect(own == 0)
        }
    }

    @Test("An unread date that is not in the past means the read marker")
    func unreadByFutureDate() async throws {
        try await ChatHarness.use { chat in
            try await Self.fill(chat)
            _ = try await chat.history("?after_seq=0&limit=1")
            _ = try await chat.history("?after_seq=0&limit=1", of: "general", key: "sooda")
            let future = try await chat.unread("?after=9999-12-31T23:59:59.999Z", user: 1)
            #expect(future == 2)
            // Sooda sends the present in KST, in whole seconds.
            let present = (Timestamp.now + .seconds(9 * 3600)).description.prefix(19).replacing("T", with: "%20")
            let naive = try await chat.unread("?after=\(present)", user: 1, of: "general", key: "sooda")
            #expect(naive == 2)
            let recent = (Timestamp.now - .seconds(1)).description
            let exact = try await chat.unread("?after=\(recent)", user: 1)
            #expect(exact == 0)
        }
    }

    @Test("A history of 20,000 messages is complete, ordered and streamed")
    func long() async throws {
        try await ChatHarness.use { chat in
            try await chat.database.database.run(
                sql: """
                    insert into chat.room (kind, id, workspace, name, last_seq, last_at)
                        values (1, 7, 3, 'general', 20000, 40000);
                    insert into chat.message (workspace, kind, room, seq, author, session, content, files, created_at)
                        select 3, 1, 7, n, n % 4 + 1, 1001, 'message ' || n, '{}', 2 * n from generate_series(1, 20000) as n
                    """)
            let reply = try await chat.call("GET", "/v1/workspaces/3/channels/7/chats")
            #expect(reply.headers["transfer-encoding"] == "chunked")
            #expect(reply.headers["content-type"] == "application/json")
            let messages = try reply.json.elements.map { $0.map { $0 } } ?? []
            #expect(messages.count == 20_000)
            #expect(messages.enumerated().allSatisfy { $1["seq"]?.int == $0 + 1 })
            #expect(messages.allSatisfy { $0["content"]?.string == "message \($0["seq"]?.int ?? 0)" })
            let after = try await chat.history("?after_seq=19000")
            #expect(after.map { $0["seq"]?.int } == Array(19_001...20_000))
            // Histories around the size of a page are complete.
            for rest in [499, 500, 501, 1000] {
                let messages = try await chat.history("?after_seq=\(20_000 - rest)")
                #expect(messages.count == rest)
            }
        }
    }

    @Test("Pages go forward and backward from a seq; a seq beyond the head gives an empty or the last page")
    func pages() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.database.write((1...30).map { .sample("\($0)", author: 2) })
            let cases: [(query: String, seqs: [Int])] = [
                ("?after_seq=10&limit=5", Array(11...15)), ("?after_seq=28&limit=5", [29, 30]),
                ("?after_seq=9223372036854775807&limit=500", []), ("?after_seq=9223372036854775807", []),
                ("?before_seq=10&limit=4", Array(6...9)), ("?before_seq=3&limit=10", [1, 2]),
                ("?before_seq=1", []), ("?before_seq=9223372036854775807&limit=3", [28, 29, 30]),
            ]
            for expected in cases {
                let found = try await chat.history(expected.query)
                #expect(found.map { $0["seq"]?.int } == expected.seqs, "\(expected.query)")
            }
            for query in ["?limit=0", "?limit=501", "?after_seq=-1", "?before_seq=0", "?after_seq=x"] {
                let reply = try await chat.call("GET", "/v1/workspaces/3/channels/7/chats" + query)
                #expect(reply.errorCode == "E11", "\(query)")
            }
        }
    }

    @Test("A page moves the read marker to its end; a page of older messages does not move it")
    func partlyRead() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.database.write((1...30).map { .sample("\($0)", author: 2) })
            _ = try await chat.history("?before_seq=20&limit=5")
            let untouched = try await chat.unread(user: 1)
            #expect(untouched == 30)
            _ = try await chat.history("?after_seq=0&limit=10")
            let after = try await chat.unread(user: 1)
            #expect(after == 20)
            _ = try await chat.history("?before_seq=1000&limit=5")
            let all = try await chat.unread(user: 1)
            #expect(all == 0)
        }
    }

    @Test("A failed history call moves neither the read marker nor the history cursor")
    func failed() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.database.write([.sample("a", author: 2), .sample("b", author: 3)])
            chat.peers.change { $0.hasProfiles = false }
            let failed = try await chat.call("GET", "/v1/workspaces/3/channels/7/chats")
            #expect(failed.status >= 500 && failed.errorCode == "E99", "\(failed.text)")
            let unread = try await chat.unread(user: 1)
            #expect(unread == 2)
            let exists = try await chat.redis.command("EXISTS", "position:1001:channel-7")
            #expect(exists == ["0"])
            chat.peers.change { $0.hasProfiles = true }
            let history = try await chat.history()
            #expect(history.count == 2)
            let rest = try await chat.unread(user: 1)
            #expect(rest == 0)
        }
    }

    @Test("Reading a channel joins it; a user outside the workspace sees nothing")
    func joining() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.send("hi")
            let outside = try await chat.call("GET", "/v1/workspaces/3/channels/7/unreads", user: 5)
            #expect(outside.errorCode == "E13")
            let history = try await chat.history(user: 5)
            #expect(history.count == 1)
            #expect(chat.peers.now.channels[7]?.members.contains(5) == true)
            let sent = try await chat.send("thanks", user: 5)
            #expect(sent.status == 201)
            let stranger = try await chat.call("GET", "/v1/workspaces/3/channels/7/chats", user: 99)
            #expect(stranger.errorCode == "E13")
        }
    }

    @Test("Very long texts among few messages are whole")
    func longTexts() async throws {
        try await ChatHarness.use { chat in
            // 80,000 bytes: too long for a page of 32 messages that is read without adding up its sizes.
            let flags = String(repeating: "🇰🇷", count: 10_000)
            let texts = (1...31).map { "\($0)" } + [flags]
            _ = try await chat.database.write(texts.map { .sample($0, author: 2) }, at: .now)
            #expect(try await chat.history().map { $0["content"]?.string ?? "" } == texts)
            #expect(try await chat.history("?after_seq=30").map { $0["content"]?.string ?? "" } == texts.suffix(2))
        }
    }
}

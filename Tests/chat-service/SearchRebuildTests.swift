import Postgres
import ServiceSupport
import Telemetry
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Rebuilding of the search index", .serialized)
struct SearchRebuildTests {
    /// Lets the steps of the indexer fail, so that no index is complete before the test has looked at it.
    private func halt(_ chat: ChatHarness) async throws {
        // Not a trigger, which Citus refuses.
        try await chat.database.database.run(
            sql: "alter table chat.search_progress add constraint halted check (form = 0) not valid")
    }

    private func resume(_ chat: ChatHarness) async throws {
        try await chat.database.database.run(sql: "alter table chat.search_progress drop constraint halted")
    }

    @Test("While a room is not indexed, a search says that it is not complete, and the index is made anew by itself")
    func rebuilding() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.send("회의")
            try await chat.untilIndexed()
            try await halt(chat)
            _ = try await chat.database.database.run(
                sql: "update chat.search_progress set form = 0; delete from chat.search_message")
            let reply = try await chat.search("회의", "")
            #expect(try reply.json["complete"]?.bool == false)
            try await resume(chat)
            // The next message of the room wakes the index, which notices the older form.
            _ = try await chat.send("다음")
            try await chat.untilIndexed()
            #expect(try await chat.found("회의") == ["회의"])
        }
    }

    @Test("A lost index is made anew in the background, with its progress in the log, and searches are not complete")
    func lost() async throws {
        let file = LogFile()
        try await ChatHarness.use(["search_index_share": "25"], log: file.log(.info)) { chat in
            _ = try await chat.send("회의")
            try await chat.untilIndexed()
            // The form of a room says that it has been indexed.
            try await chat.database.database.run(
                sql: """
                    insert into chat.message (workspace, kind, room, seq, author, session, content, files, created_at)
                        select 3, 1, 7, n, 2, 1, '회의 ' || n, '{}', created_at + n
                        from chat.message, generate_series(2, 12000) n;
                    update chat.room set last_seq = 12000;
                    update chat.search_progress set seq = 12000
                    """)
            try await halt(chat)
            let partition = try await chat.database.ask(
                "select inhrelid::regclass from pg_inherits where inhparent = 'chat.search_message'::regclass")
            try await chat.database.database.run(sql: "drop table \(partition)")
            // A step of the indexer fails, and it looks at all partitions.
            _ = try await chat.send("마지막 회의")
            try await eventually("the rebuilding") {
                try await file.text().contains("the search index is being rebuilt")
            }
            #expect(try await chat.search("회의").json["complete"]?.bool == false)
            #expect(try await chat.metric("maru_search_messages_behind") > 0)
            try await resume(chat)
            // A busy machine takes a while for as many messages.
            try await chat.untilIndexed(within: .seconds(120))
            try await eventually("the end") { try await file.text().contains("the search index is complete") }
            #expect(try await file.text().contains("the search index was lost and begins anew"))
            #expect(try await chat.metric("maru_search_messages_behind") == 0)
            let reply = try await chat.search("\"회의 11999\"")
            #expect(try reply.json["complete"]?.bool == true)
            #expect(try reply.json["items"]?.elements.map(Array.init)?.count == 1)
            let entries = try await chat.database.ask("select count(*) from chat.search_message where workspace = 3")
            #expect(entries == "12001")
        }
    }

    @Test("A backup, which reads all partitions until it ends, keeps no message of a new one from searches")
    func duringBackup() async throws {
        try await ChatHarness.use { chat in
            try await chat.locking("search_message", in: "access share") {
                _ = try await chat.send("회의")
                try await chat.untilIndexed()
                #expect(try await chat.found("회의") == ["회의"])
            }
            // Another instance makes the same partition.
            try await chat.database.run { pool in try await SearchPartitions(database: pool).make(for: .now) }
            _ = try await chat.send("회의 끝")
            try await chat.untilIndexed()
            #expect(try await chat.found("회의") == ["회의 끝", "회의"])
            let indexes = try await chat.database.ask(
                "select count(*) from pg_indexes where tablename ~ '^search_message_[0-9]+$'")
            #expect(indexes == "2")
        }
    }

    @Test("A partition that was emptied is noticed by the next look, and a whole one is kept")
    func emptied() async throws {
        // The indexer looks twice a minute, and may be the first to notice the loss: then once more.
        var isNoticed = false
        for _ in 0..<3 where !isNoticed {
            try await ChatHarness.use { chat in
                _ = try await chat.send("회의")
                try await chat.untilIndexed()
                @Sendable func lost() async throws -> Int {
                    try await chat.database.run { pool in try await SearchPartitions(database: pool).refresh() }
                }
                #expect(try await lost() == 0)
                #expect(try await chat.found("회의") == ["회의"])
                try await chat.database.database.run(sql: "truncate chat.search_message")
                let count = try await lost()
                isNoticed = try await chat.search("회의").json["complete"]?.bool == false && count == 1
                guard isNoticed else { return }
                _ = try await chat.send("다음")
                try await chat.untilIndexed()
                #expect(try await chat.found("회의") == ["회의"])
                #expect(try await lost() == 0)
            }
        }
        #expect(isNoticed)
    }

    @Test(
        "S3 From the moment of a loss, searches say that they are not complete, before the indexer has noticed",
        arguments: [
            "truncate chat.search_message",
            "do $$ begin execute (select string_agg('drop table ' || inhrelid::regclass, ';') from pg_inherits "
                + "where inhparent = 'chat.search_message'::regclass); end $$",
            "update chat.search_progress set form = form - 1",
        ])
    func atOnce(_ loss: String) async throws {
        // On a machine that stands still after the loss, the indexer may have ended before the search: then once more.
        var isComplete: Bool?
        for _ in 0..<3 where isComplete != false {
            try await ChatHarness.use { chat in
                _ = try await chat.send("회의")
                try await chat.untilIndexed()
                #expect(try await chat.search("회의").json["complete"]?.bool == true)
                try await chat.database.database.run(sql: loss)
                isComplete = try await chat.search("회의").json["complete"]?.bool
            }
        }
        #expect(isComplete == false)
    }

    @Test("The commits of a failed step wait until they are indexed, and then their lag is measured")
    func failedStep() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.send("회의")
            try await eventually("the lag") { try await chat.metric("maru_search_lag_seconds_count") >= 1 }
            let before = try await chat.metric("maru_search_lag_seconds_count")
            try await halt(chat)
            _ = try await chat.send("회의 둘")
            // Steps have failed several times by then.
            try await eventually("the wait") { try await chat.metric("maru_search_wait_seconds") > 1 }
            try await resume(chat)
            try await chat.untilIndexed()
            try await eventually("nothing that waits") { try await chat.metric("maru_search_wait_seconds") == 0 }
            try await eventually("the lag of the second message") {
                try await chat.metric("maru_search_lag_seconds_count") >= before + 1
            }
        }
    }

    @Test("S2 The lag is measured for new, edited and deleted messages, also of many rooms at once")
    func lag() async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { peers in
                for id in 100..<180 as Range<Int64> {
                    peers.channels[id] = PeersOfChat.Channel(workspace: 3, name: "room \(id)", members: [1])
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { sends in
                for id in 100..<180 as Range<Int64> { sends.addTask { _ = try await chat.send("회의 \(id)", to: id) } }
                try await sends.waitForAll()
            }
            try await chat.untilIndexed()
            #expect(try await chat.found("회의").count == 80)
            try await eventually("the lags") { try await chat.metric("maru_search_lag_seconds_count") >= 80 }
            let before = try await chat.metric("maru_search_lag_seconds_count")
            let path = "/v1/workspaces/3/channels/100/chats/1"
            for (method, json) in [("PUT", #"{"content":"모임"}"#), ("DELETE", nil)] as [(String, String?)] {
                _ = try await chat.call(method, path, json: json)
                try await chat.untilIndexed()
            }
            try await eventually("two more") { try await chat.metric("maru_search_lag_seconds_count") >= before + 2 }
            #expect(try await chat.found("회의").count == 79)
            try await eventually("nothing that waits") { try await chat.metric("maru_search_wait_seconds") == 0 }
        }
    }
}

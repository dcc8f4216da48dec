import ServiceSupport
import Synchronization
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Completeness of a search", .serialized)
struct SearchCompletenessTests {
    /// Makes a message older by 10 seconds.
    private static func age(_ seq: Int, in chat: ChatHarness) async throws {
        try await chat.database.database.run(
            sql: "update chat.message set created_at = created_at - 10000 where room = 7 and seq = \(seq)")
    }

    @Test("S3 A search is not complete while a room misses an old message, although newer ones come all the time")
    func busyRoom() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.send("회의")
            try await chat.untilIndexed()
            // The indexer waits for its rows.
            try await chat.locking("search_progress", in: "share") {
                _ = try await chat.send("회의 둘")
                try await Self.age(2, in: chat)
                _ = try await chat.send("다음")
                #expect(try await chat.search("회의").json["complete"]?.bool == false)
            }
        }
    }

    @Test("S3 A search is not complete while a room misses an old edit, although newer ones come all the time")
    func busyEdits() async throws {
        try await ChatHarness.use(["search_timeout": "60s"]) { chat in
            for text in ["점심", "저녁"] { _ = try await chat.send(text) }
            try await chat.untilIndexed()
            @Sendable func edit(_ seq: Int) async throws {
                let edited = try await chat.call(
                    "PUT", ChatHarness.channel + "/chats/\(seq)", json: #"{"content":"회의"}"#)
                #expect(edited.status == 200)
            }
            @Sendable func move(_ seq: Int, by seconds: Int) async throws {
                try await chat.database.database.run(
                    sql: """
                        update chat.message_change set changed_at = changed_at + 1000 * \(seconds)
                        where room = 7 and seq = \(seq)
                        """)
            }
            // The indexer waits for its rows.
            try await chat.locking("search_progress", in: "share") {
                try await edit(1)
                // The edit is new for ten minutes.
                try await move(1, by: 600)
                #expect(try await chat.search("회의").json["complete"]?.bool == true)
                try await move(1, by: -610)
                try await edit(2)
                try await move(2, by: 600)
                #expect(try await chat.search("회의").json["complete"]?.bool == false)
            }
        }
    }

    @Test("S3 A search that has read the index before an old message came into it does not call itself complete")
    func indexedMeanwhile() async throws {
        // The search waits until the test ends that.
        try await ChatHarness.use(["search_timeout": "600s", "database_timeout": "3600s"]) { chat in
            _ = try await chat.send("점심")
            // The details of a changed message are read.
            _ = try await chat.call("PUT", ChatHarness.channel + "/chats/1", json: #"{"content":"회의"}"#)
            try await chat.untilIndexed()
            let search = StartedSearch()
            try await chat.locking("pin") {
                try await chat.locking("search_progress", in: "share") {
                    _ = try await chat.send("회의 둘")
                    try await Self.age(2, in: chat)
                    try await chat.database.database.run(
                        sql: "update chat.room set last_at = last_at - 10000 where id = 7")
                    search.task.withLock { $0 = Task { try await chat.search("회의") } }
                    try await eventually("a search that waits for details") {
                        try await chat.database.ask(
                            """
                            select count(*) from pg_stat_activity where wait_event_type = 'Lock'
                                and datname = current_database() and query like '%from pin join%'
                            """) == "1"
                    }
                }
                try await chat.untilIndexed()
            }
            let reply = try await search.task.withLock(\.self)?.value
            #expect(try reply?.json["complete"]?.bool == false)
        }
    }
}

/// A search that goes on while the test does something else.
private final class StartedSearch: Sendable {
    let task = Mutex<Task<HTTPCall.Reply, any Error>?>(nil)
}

import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Queries", .serialized)
struct QueryCountTests {
    /// Gives user 1 an equal number of channels and DMs, each with a message by another user.
    private static func fill(_ chat: ChatHarness, _ numbers: ClosedRange<Int64>) async throws {
        chat.peers.change { state in
            for number in numbers {
                state.channels[100 + number] = .init(workspace: 3, name: "c\(number)", members: [1])
            }
        }
        let series = "generate_series(\(numbers.lowerBound), \(numbers.upperBound)) as n"
        try await chat.database.database.run(
            sql: """
                insert into chat.dm (workspace, low, high, created_at) select 3, 1, 1000 + n, n from \(series);
                insert into chat.room (kind, id, workspace, last_seq)
                    select 1, 100 + n, 3, 1 from \(series) union all select 2, id, 3, 1 from chat.dm
                    on conflict do nothing;
                insert into chat.message (kind, room, seq, author, session, content, files, created_at)
                    select kind, id, 1, 2000 + id, 1001, 'hi', '{}', id from chat.room on conflict do nothing;
                """)
    }

    /// The number of statements sent by calls so far, without background jobs and the test's own statements.
    private static func statements(_ chat: ChatHarness) async throws -> Int {
        let count = try await chat.database.ask(
            """
            select coalesce(sum(calls), 0) from pg_stat_statements s join pg_database d on d.oid = s.dbid
            where datname = current_database()
                and query !~ 'pg_|outbox|from report|is_erased|is_sent|search_|reaction r | scheduled |generate_series'
                and query !~ 'webhook_|command_run|select [$]1$'
            """)
        return Int(count) ?? -1
    }

    @Test("Room summaries take as many statements and internal calls for 256 rooms as for 2, and two more for 500")
    func summaries() async throws {
        let cluster = try await PostgresCluster.start([
            "shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track_utility=off",
        ])
        try await ChatHarness.use(on: cluster) { chat in
            try await chat.database.database.run(sql: "create extension pg_stat_statements")
            // From then on the blocks of a reader are asked for once.
            try await chat.redis.untilHeard("invalidate:blocks", by: 1)
            chat.peers.change { $0.channels = [:] }
            for (numbers, rooms) in [(1...1, 2), (2...128, 256), (129...250, 500)] as [(ClosedRange<Int64>, Int)] {
                try await Self.fill(chat, numbers)
                chat.peers.change { $0.asked = [] }
                let before = try await Self.statements(chat)
                let reply = try await chat.call("GET", "/v1/workspaces/3/rooms")
                let summaries = try reply.json.elements.map(Array.init) ?? []
                #expect(summaries.count == rooms)
                #expect(
                    summaries.allSatisfy { $0["lastMessage"]?["user"]?["nickname"]?.string?.hasPrefix("n2") == true })
                let pages = rooms > 256 ? 2 : 1
                let count = try await Self.statements(chat) - before
                #expect(count == 1 + 3 * pages, "\(rooms) rooms")
                let asked = chat.peers.now.asked.filter { $0 != "/internal/revocations" }
                let profiles = Array(repeating: "/internal/profiles", count: pages)
                let blocks = rooms == 2 ? ["/internal/blocks"] : []
                #expect(
                    asked == ["/internal/access", "/internal/users/1/channels"] + blocks + profiles, "\(rooms) rooms")
            }
        }
        await cluster.stop()
    }
}

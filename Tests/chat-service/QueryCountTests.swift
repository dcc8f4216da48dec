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

    /// The number of statements sent by calls so far, without background jobs, the test's own statements, and reads of rules that are
    /// kept only once the service has the confirmation of its subscription to hints.
    private static func statements(_ chat: ChatHarness) async throws -> Int {
        let count = try await chat.database.ask(
            """
            select coalesce(sum(calls), 0) from pg_stat_statements s join pg_database d on d.oid = s.dbid
            where datname = current_database()
                and query !~ 'pg_|outbox|from report|is_erased|is_sent|search_|reaction r | scheduled |generate_series'
                and query !~ 'webhook_|command_run|from (standing|word_filter)|select [$]1$'
            """)
        return Int(count) ?? -1
    }

    /// Calls `body` with a service on a database that counts statements.
    private static func counted(_ body: (ChatHarness) async throws -> Void) async throws {
        let cluster = try await PostgresCluster.start([
            "shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track_utility=off",
        ])
        try await ChatHarness.use(on: cluster) { chat in
            try await chat.database.database.run(sql: "create extension pg_stat_statements")
            // From then on the blocks of a reader are asked for once.
            try await chat.redis.untilHeard("invalidate:blocks", by: 1)
            try await body(chat)
        }
        await cluster.stop()
    }

    @Test("@here costs a statement and a call for a send and a statement for its pushes; other sends cost none of them")
    func here() async throws {
        try await Self.counted { chat in
            chat.peers.change { $0.present = [2] }
            /// The statements of a send and of the decision about its pushes, and the questions for present members.
            func costs(_ text: String, _ seq: Int) async throws -> [Int] {
                let before = try await Self.statements(chat)
                chat.peers.change { $0.asked = [] }
                #expect(try await chat.send(text).status == 201)
                let sent = try await Self.statements(chat)
                _ = try await chat.decisions([2, 3, 4], seq: seq)
                let asked = chat.peers.now.asked.count { $0 == "/internal/rooms/channel-7/present" }
                return [sent - before, try await Self.statements(chat) - sent, asked]
            }
            // The first of them make the room and fill caches.
            _ = try await costs("@here", 1)
            let plain = try await costs("plain", 2)
            #expect(plain[2] == 0)
            for text in ["@n2", "@channel", "a@here"] {
                #expect(
                    try await costs(text, Int(chat.database.ask("select last_seq + 1 from chat.room")) ?? 0) == plain)
            }
            let here = try await costs("@here", 6)
            #expect(Array(here.prefix(2)) == [plain[0] + 1, plain[1] + 1])
            // The gateway is asked again if it does not answer soon.
            #expect((1...2).contains(here[2]), "\(here)")
        }
    }

    @Test("Room summaries take as many statements and internal calls for 256 rooms as for 2, and two more for 500")
    func summaries() async throws {
        try await Self.counted { chat in
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
                // Blocks are asked for again if they came before the confirmation of the subscription to their hints.
                let others = ["/internal/revocations", "/internal/blocks"]
                let asked = chat.peers.now.asked.filter { !others.contains($0) }
                let profiles = Array(repeating: "/internal/profiles", count: pages)
                #expect(asked == ["/internal/access", "/internal/users/1/channels"] + profiles, "\(rooms) rooms")
                #expect(chat.peers.now.count("/internal/blocks") <= pages, "\(rooms) rooms")
            }
        }
    }

    @Test("A start of a /me socket takes 6 statements for any number of rooms, and 5 once they are kept")
    func starts() async throws {
        try await Self.counted { chat in
            chat.peers.change { $0.channels = [:] }
            for (numbers, rooms) in [(1...1, 2), (2...128, 256)] as [(ClosedRange<Int64>, Int)] {
                try await Self.fill(chat, numbers)
                for count in [6, 5] {
                    let before = try await Self.statements(chat)
                    let found = try await chat.start(of: 1)
                    #expect(found.count == rooms)
                    #expect(found.allSatisfy { $0["unreadCount"]?.int == 1 && $0["lastMessage"] != nil })
                    let sent = try await Self.statements(chat) - before
                    #expect(sent == count, "\(rooms) rooms")
                }
            }
        }
    }
}

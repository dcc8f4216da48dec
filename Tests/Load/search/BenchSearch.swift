import EventLoop
import LoadClient
import ServiceSupport
import TestSupport
import Wire

/// `bench-search [MESSAGES]`: searches of a workspace with a million messages, beside pg_trgm and a scan on the same tables.
@main
struct BenchSearch: MeasuringProgram {
    /// A search that people make, and how often.
    struct Case {
        let name: String
        let query: String
        /// Whether a substring match of SQL finds the same.
        let isPlain: Bool
    }

    private static let rounds = 40

    static func measure() async throws {
        let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
        let target = count > 2_000_000 ? 100.0 : 20.0
        let peers = try StubServer<SearchPeers>()
        let service = try await LoadedService.start(
            "chat-service", postgres: ["shared_buffers=512MB", "max_wal_size=8GB"],
            ["auth_url": peers.url, "workspace_url": peers.url, "search_timeout": "10s", "search_index_share": "100"])
        do {
            try await measure(service, peers, count, target)
        } catch {
            await service.stop()
            await peers.stop()
            throw error
        }
        await service.stop()
        await peers.stop()
    }

    private static func measure(
        _ service: LoadedService, _ peers: StubServer<SearchPeers>, _ count: Int, _ target: Double
    ) async throws {
        try await SearchCorpus.fill(service.database, messages: count)
        let seconds = try await SearchCorpus.untilIndexed(service.database)
        try await service.database.run(sql: "vacuum analyze chat.search_entry")
        print("\(count) messages indexed in \(Int(seconds)) s")
        let sizes = try await sizes(service.database)
        var verdicts = Verdicts()
        verdicts.add(
            "index \(sizes.index >> 20) MB beside \(sizes.table >> 20) MB of messages, at most 1.5 ×",
            Double(sizes.index) <= 1.5 * Double(sizes.table))
        let cases = Self.cases
        let token = peers.tokens.token(user: 1, key: "native", lives: .seconds(7200))
        var ours: [String: [Double]] = [:]
        for one in cases { ours[one.name] = try await time(one.query, service.publicPort, token) }
        let trigrams = try await peer(
            cases, service.database,
            prepare: "create extension pg_trgm; create index trigrams on chat.message using gin (content gin_trgm_ops)")
        let scans = try await peer(cases, service.database, prepare: "drop index chat.trigrams")
        print("\n| query | Maru p50 | p95 | pg_trgm p50 | scan p50 |\n|---|---|---|---|---|")
        for one in cases {
            let times = ours[one.name] ?? []
            print(
                "| \(one.name) | \(tenths(times[times.count / 2])) | \(tenths(times[times.count * 95 / 100])) | "
                    + "\(trigrams[one.name].map(tenths) ?? "cannot") | \(scans[one.name].map(tenths) ?? "cannot") |")
        }
        for one in cases {
            let times = ours[one.name] ?? []
            let p95 = times[times.count * 95 / 100]
            verdicts.add("\(one.name): p95 \(tenths(p95)) ms, at most \(Int(target))", p95 <= target)
        }
        try verdicts.settle()
    }

    private static var cases: [Case] {
        let chat = KoreanChat(seed: 1)
        let rare = Array(chat.rarestNouns.prefix(2))
        return [
            Case(name: "1 syllable, frequent (회)", query: "회", isPlain: true),
            Case(name: "1 syllable, rare (뷁)", query: "뷁", isPlain: true),
            Case(name: "2 syllables, frequent (니다)", query: "니다", isPlain: true),
            Case(name: "2 syllables (회의)", query: "회의", isPlain: true),
            Case(name: "3 syllables (보고서)", query: "보고서", isPlain: true),
            Case(name: "6 syllables (확인부탁드립)", query: "확인부탁드립", isPlain: true),
            Case(name: "initial consonants (ㅂㄱㅅ)", query: "ㅂㄱㅅ", isPlain: false),
            Case(name: "initial consonants (ㅎㅇ)", query: "ㅎㅇ", isPlain: false),
            Case(name: "half-typed (보고ㅅ)", query: "보고ㅅ", isPlain: false),
            Case(name: "two words (보고서 서버)", query: "보고서 서버", isPlain: false),
            Case(name: "a rare word", query: rare.first ?? "", isPlain: true),
            Case(name: "a phrase that is nowhere", query: "\"\(rare.joined(separator: " "))\"", isPlain: false),
            Case(name: "Latin (rollback)", query: "rollback", isPlain: true),
        ]
    }

    /// The milliseconds of repeated searches, sorted.
    private static func time(_ query: String, _ port: UInt16, _ token: String) async throws -> [Double] {
        let target = "/v1/workspaces/1/search?q=\(PercentEncoding.strict.encode(query))&limit=20"
        let headers = [("SesacKey", "native"), ("Authorization", token)]
        var times: [Double] = []
        for round in 0..<(rounds + 3) {
            let began = EventLoop.preciseNow
            let reply = try await HTTPCall.get(port: port, target, headers: headers)
            guard reply.status == 200 else {
                throw NeverHappened(description: "\(query): \(reply.status) \(reply.text)")
            }
            // The first calls fill caches.
            if round >= 3 { times.append(Double(EventLoop.preciseNow - began) / 1e6) }
        }
        return times.sorted()
    }

    /// The median milliseconds of the same searches by `like`, as Postgres reports them.
    private static func peer(
        _ cases: [Case], _ database: TestDatabase, prepare: String
    ) async throws -> [String: Double] {
        try await database.run(sql: prepare)
        try await database.run(sql: "analyze chat.message")
        var medians: [String: Double] = [:]
        for one in cases where one.isPlain {
            var times: [Double] = []
            for _ in 0..<3 {
                let plan = try await database.run(
                    sql: """
                        explain (analyze, timing off, costs off) select kind, room, seq from chat.message
                        where content like '%\(one.query)%' and kind = 1
                            and room = any(array(select generate_series(2, \(SearchPeers.channels), 2)))
                        order by created_at desc limit 20
                        """)
                let line = plan.split(separator: "\n").first { $0.hasPrefix("Execution Time") } ?? ""
                times.append(line.split(separator: " ").compactMap { Double($0) }.first ?? .nan)
            }
            medians[one.name] = times.sorted()[1]
        }
        return medians
    }

    private static func sizes(_ database: TestDatabase) async throws -> (index: Int, table: Int) {
        let text = try await database.run(
            sql: """
                select sum(pg_total_relation_size(inhrelid))::text, pg_total_relation_size('chat.message')
                from pg_inherits where inhparent = 'chat.search_entry'::regclass
                """)
        let numbers = text.split(whereSeparator: { $0 == "|" || $0 == "\n" }).compactMap { Int($0) }
        return (numbers[0], numbers[1])
    }

    private static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}

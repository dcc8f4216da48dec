import LoadClient
import TestSupport

/// The same searches by `like` in a database of their own, with an index of pg_trgm or with none.
struct LikeSearch {
    enum Method: CaseIterable {
        case trigrams, scan
    }

    private let database: TestDatabase

    /// Copies the corpus into a table like that of chat-service. The database has the locale of a deployment: in `C`, pg_trgm
    /// sees no letters in Korean text.
    init(_ corpus: SearchCorpus, on cluster: PostgresCluster) async throws {
        database = try await cluster.makeDatabase("template template0 locale 'C.UTF-8'")
        try await database.run(
            sql: """
                create table message (kind smallint, room bigint, seq bigint, author bigint, session bigint,
                    content text, files text[], created_at bigint, workspace bigint, primary key (kind, room, seq))
                """)
        try await corpus.copy(to: "message", of: database)
        try await database.run(sql: "create extension pg_trgm")
    }

    /// Prepares a method; returns the bytes of its index.
    func prepare(_ method: Method) async throws -> Int {
        switch method {
        case .trigrams:
            try await database.run(sql: "create index trigrams on message using gin (content gin_trgm_ops)")
            let size = try await database.run(sql: "select pg_relation_size('trigrams')")
            return Int(size.split(separator: "\n").first ?? "") ?? 0
        case .scan:
            try await database.run(sql: "drop index if exists trigrams")
            return 0
        }
    }

    /// The milliseconds of a search as Postgres reports them, the median of three.
    func time(_ query: String) async throws -> Double {
        var times: [Double] = []
        for _ in 0..<3 {
            let plan = try await database.run(
                sql: """
                    explain (analyze, timing off, costs off) select kind, room, seq from message
                    where content like '%\(query)%' and kind = 1
                        and room = any(array(select generate_series(2, \(SearchPeers.channels), 2)))
                    order by created_at desc limit 20
                    """)
            let line = plan.split(separator: "\n").first { $0.hasPrefix("Execution Time") } ?? ""
            times.append(line.split(separator: " ").compactMap { Double($0) }.first ?? .nan)
        }
        return times.sorted()[1]
    }
}

import EventLoop
import LoadClient
import ServiceSupport
import TestSupport
import Wire

/// `bench-search [MESSAGES]`: searches of a workspace with a million messages, or as many as told, beside pg_trgm and a scan.
@main
struct BenchSearch: MeasuringProgram {
    private static let rounds = 100

    static func measure() async throws {
        let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
        let peers = try StubServer<SearchPeers>()
        let service = try await LoadedService.start(
            "chat-service", postgres: ["shared_buffers=512MB", "max_wal_size=8GB"],
            ["auth_url": peers.url, "workspace_url": peers.url, "search_timeout": "10s", "search_index_share": "100"])
        do {
            try await measure(service, peers, messages: count)
        } catch {
            await service.stop()
            await peers.stop()
            throw error
        }
        await service.stop()
        await peers.stop()
    }

    private static func measure(
        _ service: LoadedService, _ peers: StubServer<SearchPeers>, messages count: Int
    ) async throws {
        let corpus = try SearchCorpus(messages: count)
        try await corpus.fill(service.database)
        let seconds = try await SearchCorpus.untilIndexed(service.database)
        print("\(count) messages indexed in \(Int(seconds)) s")
        try await service.database.run(sql: "vacuum analyze chat.search_message")
        var verdicts = Verdicts()
        try await measureSizes(service.database, &verdicts)

        let token = peers.tokens.token(user: 1, key: "native", lives: .seconds(36_000))
        let path = "/v1/workspaces/1"
        var ours: [Times] = []
        for one in SearchCase.all {
            let target = "\(path)/search?q=\(PercentEncoding.strict.encode(one.query))&limit=20"
            ours.append(try await times(target, service.publicPort, token, mustFind: one.isFrequent))
        }
        let finds = try await times(
            "\(path)/find?q=\(PercentEncoding.strict.encode("ㅅㄹ1"))", service.publicPort, token)

        // A large corpus is measured without the peers, which need a copy of the table and an index of their own.
        let isLarge = count > 2_000_000
        let others = isLarge ? [:] : try await peerTimes(corpus, service)
        print("\n| query | Maru p50 | p95 | pg_trgm p50 | scan p50 |\n|---|---|---|---|---|")
        for (index, one) in SearchCase.all.enumerated() {
            let peers = LikeSearch.Method.allCases.map {
                others[$0].map { $0[index].map(tenths) ?? "cannot" } ?? "not measured"
            }
            let columns = [one.name, tenths(ours[index].median), tenths(ours[index].p95)] + peers
            print("| \(columns.joined(separator: " | ")) |")
        }
        print("")
        let target = isLarge ? 100.0 : 20.0
        for (one, times) in zip(SearchCase.all, ours) {
            verdicts.add("\(one.name): p95 \(tenths(times.p95)) ms, at most \(Int(target))", times.p95 <= target)
        }
        try await SearchLag.measure(peers, &verdicts)
        verdicts.add("find among \(SearchPeers.users) names: p95 \(tenths(finds.p95)) ms, at most 10", finds.p95 <= 10)
        try verdicts.settle()
    }

    private static func peerTimes(
        _ corpus: SearchCorpus, _ service: LoadedService
    ) async throws -> [LikeSearch.Method: [Double?]] {
        let like = try await LikeSearch(corpus, on: service.cluster)
        var others: [LikeSearch.Method: [Double?]] = [:]
        for method in LikeSearch.Method.allCases {
            let size = try await like.prepare(method)
            if size > 0 { print("the index of pg_trgm has \(size >> 20) MB") }
            for one in SearchCase.all {
                others[method, default: []].append(one.isPlain ? try await like.time(one.query) : nil)
            }
        }
        return others
    }

    private struct Times {
        let median: Double
        let p95: Double

        init(_ milliseconds: [Double]) {
            let sorted = milliseconds.sorted()
            median = sorted[sorted.count / 2]
            p95 = sorted[sorted.count * 95 / 100]
        }
    }

    /// The milliseconds of repeated calls.
    ///
    /// - Parameter mustFind: whether a reply without results is an error: to find nothing takes another time.
    private static func times(
        _ target: String, _ port: UInt16, _ token: String, mustFind: Bool = false
    ) async throws -> Times {
        let headers = [("SesacKey", "native"), ("Authorization", token)]
        var times: [Double] = []
        for round in 0..<(rounds + 3) {
            let began = EventLoop.preciseNow
            let reply = try await HTTPCall.get(port: port, target, headers: headers)
            guard reply.status == 200 else {
                throw NeverHappened(description: "\(target): \(reply.status) \(reply.text)")
            }
            if mustFind, try reply.json["items"]?[0] == nil {
                throw NeverHappened(description: "\(target) finds nothing: \(reply.text)")
            }
            // The first calls fill caches.
            if round >= 3 { times.append(Double(EventLoop.preciseNow - began) / 1e6) }
        }
        return Times(times)
    }

    /// Compares the disk space of search with that of the table of messages and its indexes.
    private static func measureSizes(_ database: TestDatabase, _ verdicts: inout Verdicts) async throws {
        let text = try await database.run(
            sql: """
                select (select sum(pg_total_relation_size(inhrelid))::bigint from pg_inherits
                        where inhparent = 'chat.search_message'::regclass),
                    (select sum(pg_relation_size(inhrelid))::bigint from pg_inherits
                        where inhparent = 'chat.search_message_grams'::regclass),
                    pg_total_relation_size('chat.message')
                """)
        let bytes = text.split(whereSeparator: { $0 == "|" || $0 == "\n" }).compactMap { Int($0) }
        let ratio = (Double(bytes[0]) / Double(bytes[2]) * 100).rounded() / 100
        verdicts.add(
            "search has \(bytes[0] >> 20) MB, \(bytes[1] >> 20) of them grams, messages \(bytes[2] >> 20): "
                + "\(ratio) ×, at most 1.5", ratio <= 1.5)
    }

    private static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}

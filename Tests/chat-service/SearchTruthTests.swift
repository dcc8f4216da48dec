import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

/// Changes messages, memberships, blocks and rooms at random, and compares searches with a plain scan.
@Suite("Truth of searches", .serialized)
struct SearchTruthTests {
    private static let rounds = 6
    private static let changes = 20
    private static let queries = 12
    private static let seed: UInt64 = 21

    @Test(
        "S1 Searches equal a plain scan of all messages that the caller may read, during changes of data and access",
        arguments: UnusualText.Kind.allCases)
    func truth(_ kind: UnusualText.Kind) async throws {
        try await ChatHarness.use(["search_index_share": "100"]) { chat in
            try await chat.redis.untilHeard("invalidate:blocks", by: 1)
            var world = try await SearchWorld(chat, kind, seed: Self.seed)
            for _ in 0..<60 { try await world.send() }
            var (hits, maker) = (0, SearchQueryMaker(seed: Self.seed))
            for round in 0..<Self.rounds {
                for _ in 0..<Self.changes { try await world.change() }
                try await world.settle()
                for number in 0..<Self.queries {
                    let query = maker.query(world.model)
                    let user = Int64(number % 4 + 1)
                    let expected = world.model.scan(query, for: user)
                    let recent = try await world.found(query, "&limit=\(number + 1)", for: user)
                    #expect(recent == expected, "\(query.text) \(query.parameters) of user \(user), round \(round)")
                    let best = try await world.found(query, "&sort=best&limit=\(number + 1)", for: user)
                    #expect(best.sorted() == expected.sorted(), "best: \(query.text) \(query.parameters)")
                    hits += expected.count
                }
            }
            #expect(hits > Self.rounds * Self.queries)
            #expect(world.done.count == SearchWorld.Change.allCases.count, "\(world.done)")
        }
    }
}

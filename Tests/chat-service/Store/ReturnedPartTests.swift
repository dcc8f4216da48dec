import EventLoop
import Postgres
import Redis
import ServiceSupport
import Synchronization
import TestSupport
import Testing
import Wire

@testable import ServiceKit
@testable import chat_service

@Suite("Outbox after the return of a part", .serialized)
struct ReturnedPartTests {
    /// A row of each workspace is lost. More rows than a page are before and after it, with an entry that Redis has.
    private static let published = """
        insert into sample.outbox (workspace, type, body, published_at, entry)
            select w, 'thing', '{}', i, case i when 600 then '1-0' else '2-0' end
            from generate_series(3, 9) w, generate_series(1, 1200) i
        """

    @Test("R6 A lost entry is published again although hundreds have been published since the part returned")
    func manySince() async throws {
        try await DividedOutbox.use(Self.published) { service, part in
            let reachable = try await DividedOutbox.reachable(without: part, in: service)
            let lost = Set((Int64(3)...9).filter { !reachable.contains(String($0)) })
            for command in [
                ["XADD", DividedOutbox.stream.name, "2-0", "id", "1"],
                ["XGROUP", "CREATE", DividedOutbox.stream.name, "readers", "$"],
                // All is acknowledged up to it.
                ["XGROUP", "SETID", DividedOutbox.stream.name, "readers", "9-0"],
            ] {
                _ = try await service.redis.command(command)
            }
            let made = Mutex<(relay: OutboxRelay, redis: Redis)?>(nil)
            let second = try await DividedOutbox.start(with: service, relays: false) { builder, database, redis in
                let finder = WorkspaceFinder(database: database, limit: .seconds(60))
                let check = builder.lostEntryCheck(
                    of: database, to: redis, streams: OutboxStreams(DividedOutbox.stream), isDivided: true,
                    parts: PassingLoss(finder: finder, lost: lost) { $0 == 1 })
                let relay = OutboxRelay(
                    lostEntries: check, commands: { _ in [] }, grace: .zero,
                    retention: OutboxRetention(acknowledged: .zero, unread: .seconds(1_000_000_000_000)),
                    signal: WakeSignal())
                made.withLock { $0 = (relay, redis) }
            }
            let waiting = "select distinct workspace from sample.outbox where published_at is null order by 1"
            try await second.lent { second in
                let created = made.withLock(\.self)
                let (relay, redis) = try #require(created)
                try await second.loops.loops[0].run {
                    try await redis.connected(within: .seconds(20).patiently)
                    try await relay.lostEntries.repair(areNew: true)
                    // All parts are within reach now. Rows that are not checked are not deleted.
                    try await relay.deleteOldRows()
                    try await relay.lostEntries.checkUnseen()
                }
                let left = try await service.ask(waiting)
                #expect(left == lost.sorted().map(String.init).joined(separator: "\n"))
            }
        }
    }
}

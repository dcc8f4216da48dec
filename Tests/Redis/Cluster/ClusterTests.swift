import EventLoop
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Redis

/// Six real servers on the loopback address.
@Suite(.serialized) struct ClusterTests {
    private static let slot = HashSlot.of("foo".utf8)

    private static func run(
        _ body: @escaping @Sendable (RedisFixture, RedisNodes) async throws -> Void
    ) async throws {
        let nodes = try await RedisNodes.ofThisProcess()
        let seeds = nodes.nodes[..<2].map { RedisConfiguration.Server.host("127.0.0.1", port: $0.port) }
        try await RedisFixture.run(nodes.nodes[0], seeds: seeds) { try await body($0, nodes) }
    }

    @Test("Keys, scripts, streams and channels work on all masters, and rooms are heard at replicas")
    func commands() async throws {
        try await Self.run { fixture, nodes async throws in
            let redis = fixture.redis
            let keys = (0..<200).map { fixture.key("key\($0)") }
            let outcomes = await redis.run(keys.map { RedisCommand("SET", $0, "1") })
            #expect(outcomes.allSatisfy { !$0.isFailure })
            let masters = try await nodes.masters()
            let sizes = try await masters.asyncMap { Int(try await $0.command("DBSIZE")[0]) ?? 0 }
            #expect(sizes.allSatisfy { $0 > 20 })
            let script = RedisScript("return redis.call('INCR', KEYS[1])")
            for key in keys[..<20] { #expect(try await redis.run(script, keys: [key]).integer == 2) }
            #expect(await redis.runOnEachServer(RedisCommand("PING")).count == 3)

            let subscriber = fixture.subscriber()
            defer { subscriber.close() }
            let heard = Record<String>()
            for number in 0..<20 {
                for isSharded in [true, false] {
                    _ = try await subscriber.subscribe(
                        to: fixture.name + "\(number)", isSharded: isSharded, on: fixture.loop,
                        within: .seconds(20).patiently
                    ) { if case .message(let bytes) = $0 { heard.add(String(decoding: bytes, as: UTF8.self)) } }
                }
            }
            for number in 0..<20 {
                let channel = fixture.name + "\(number)"
                try await redis.run(.publish(Array("room \(number)".utf8), toShardChannel: channel))
                redis.hint("hint \(number)", to: channel)
            }
            let expected = Set((0..<20).flatMap { ["room \($0)", "hint \($0)"] })
            try await eventually { heard.count == 40 }
            #expect(Set(heard.all) == expected)
            for node in masters {
                #expect(try await node.command("PUBSUB", "SHARDCHANNELS", fixture.name + "*").isEmpty)
            }
        }
    }

    @Test("A slot that moves under load is not noticed: no command fails, and no message is missed without a gap")
    func movedSlot() async throws {
        try await Self.run { fixture, nodes async throws in
            let load = ClusterLoad(fixture, tag: "foo")
            try await load.begin()
            let source = try await nodes.master(of: Self.slot)
            let masters = try await nodes.masters()
            let target = try #require(masters.first { $0.port != source.port })
            try await nodes.move(slot: Self.slot, to: target) {
                // Some keys are at the other node now, and the slot is not yet.
                let count = load.written.count
                try await eventually { load.written.count > count + 20 }
            }
            let count = load.written.count
            try await eventually { load.written.count > count + 20 }
            try await load.end()
            #expect(load.failures.all.isEmpty)
            #expect(load.events.all.contains("gap"), "what was published meanwhile is asked for")
            try await nodes.move(slot: Self.slot, to: source)
        }
    }

    @Test(
        "A master that comes back empty is told as soon as it executes commands, and its rooms have a gap at the replica"
    )
    func emptyMaster() async throws {
        let nodes = try await RedisNodes.ofThisProcess()
        let seeds = nodes.nodes[..<2].map { RedisConfiguration.Server.host("127.0.0.1", port: $0.port) }
        let refusals = Record<String>()
        try await RedisFixture.run(nodes.nodes[0], seeds: seeds) {
            $0.onClusterEvent = { if case .redirected(let kind) = $0 { refusals.add(kind) } }
        } _: { fixture async throws in
            let (key, other) = (RedisKey("{foo}\(fixture.name)key"), RedisKey("{bar}\(fixture.name)key"))
            let events = Record<RedisSubscription.Event>()
            let subscriber = fixture.subscriber()
            defer { subscriber.close() }
            _ = try await subscriber.subscribe(
                to: "{foo}\(fixture.name)room", isSharded: true, on: fixture.loop, within: .seconds(20).patiently
            ) { events.add($0) }
            let returns = Record<Bool>()
            fixture.redis.observeReturns {
                let loop = EventLoop.current!
                Task(executorPreference: loop) {
                    returns.add((try? await fixture.redis.run(RedisCommand("SET", key, "again"))) != nil)
                }
            }
            // On a busy machine the replica may take over before the master has started again.
            for attempt in 1...5 {
                try await nodes.untilWhole()
                try await eventually { fixture.redis.state.isConnected }
                let (before, refused) = (returns.count, refusals.count)
                try await fixture.redis.run(RedisCommand("SET", key, "lost"))
                let master = try await nodes.master(of: Self.slot)
                await master.kill()
                try await master.start()
                try await eventually(within: .seconds(60)) { returns.count >= before + 2 }
                guard try await nodes.master(of: Self.slot).port == master.port else {
                    try #require(attempt < 5)
                    continue
                }
                #expect(!returns.all[before...].contains(false))
                #expect(refusals.all[refused...].isEmpty, "it was not told too early")
                #expect(try await fixture.redis.get(key) == Array("again".utf8))
                #expect(fixture.redis.timeSinceReturn(of: key) != nil)
                #expect(fixture.redis.timeSinceReturn(of: other) == nil)
                try await eventually("a gap") { events.all.contains(.gap) }
                break
            }
            try await nodes.untilWhole()
        }
    }

    @Test("After the loss of a master its replica takes over: rooms have a gap, and nothing acknowledged is lost")
    func lostMaster() async throws {
        try await Self.run { fixture, nodes async throws in
            let load = ClusterLoad(fixture, tag: "foo")
            try await load.begin()
            let before = fixture.redis.state
            let master = try await nodes.master(of: Self.slot)
            let first = load.written.all.last ?? 0
            await master.kill()
            let killed = load.written.count
            try await eventually(within: .seconds(30)) { load.written.count > killed + 50 }
            try await eventually(within: .seconds(30)) { fixture.redis.state.isConnected }
            try await load.end(doubtful: first..<first + 20)
            #expect(fixture.redis.state != before, "what Redis has lost is written again")
            #expect(!load.failures.all.isEmpty)
            #expect(load.events.all.contains("lost") && load.events.all.contains("gap"))
            try await master.start()
            try await nodes.untilWhole()
        }
    }
}

/// Writes to a stream and publishes to a room, both of one slot, and reads both.
private final class ClusterLoad: Sendable {
    let written = Record<Int>()
    let failures = Record<String>()
    /// The events of the listener of the room, in their order.
    let events = Record<String>()
    private let read = Record<Int>()
    private let fixture: RedisFixture
    private let stream: RedisKey
    private let channel: String
    private let isOver = Mutex(false)
    private let subscriber: RedisSubscriber
    private let consumer = Mutex<RedisStreamConsumer?>(nil)

    init(_ fixture: RedisFixture, tag: String) {
        self.fixture = fixture
        stream = RedisKey("{\(tag)}\(fixture.name)stream")
        channel = "{\(tag)}\(fixture.name)room"
        subscriber = fixture.subscriber()
    }

    func begin() async throws {
        let events = events
        _ = try await subscriber.subscribe(
            to: channel, isSharded: true, on: fixture.loop, within: .seconds(20).patiently
        ) { event in
            switch event {
            case .confirmed: break
            case .lost: events.add("lost")
            case .gap: events.add("gap")
            case .message(let bytes): events.add(String(decoding: bytes, as: UTF8.self))
            }
        }
        let consumption = RedisConsumption(stream: stream, group: "readers", consumer: "one")
        let reader = RedisStreamConsumer(
            consumption, of: fixture.configuration, on: fixture.loop, resolvingOn: fixture.pool
        ) { [read] entry in
            if let number = entry["n"].flatMap({ Int(String(decoding: $0, as: UTF8.self)) }) { read.add(number) }
        }
        consumer.withLock { $0 = reader }
        reader.start()
        Task(executorPreference: fixture.loop) { [self] in await write() }
        try await eventually { self.written.count > 20 && self.read.count > 5 }
    }

    private func write() async {
        var number = 0
        while !isOver.withLock(\.self) {
            number += 1
            let outcomes = await fixture.redis.run([
                .append(["n": number], toStream: stream),
                .publish(Array("\(number)".utf8), toShardChannel: channel),
            ])
            do {
                for outcome in outcomes { _ = try outcome.get() }
                written.add(number)
            } catch {
                failures.add("\(number): \(error)")
            }
            try? await fixture.loop.sleep(for: .milliseconds(2))
        }
    }

    /// Checks that each acknowledged number was read from the stream, and heard in the room at most once: those that were not
    /// heard are before a gap.
    ///
    /// - Parameter doubtful: numbers that a master may have acknowledged before it told its replica.
    func end(doubtful: Range<Int> = 0..<0) async throws {
        isOver.withLock { $0 = true }
        let all = Set(written.all)
        let kept = all.subtracting(doubtful)
        try await eventually(within: .seconds(60), "the last entry is read") { kept.isSubset(of: self.read.all) }
        let last = written.all.last ?? 0
        try await eventually("the last message is heard") { self.events.all.contains("\(last)") }
        await consumer.withLock(\.self)?.stop()
        subscriber.close()
        let events = events.all
        let heard = events.compactMap { Int($0) }
        #expect(Set(heard).count == heard.count, "no message is heard twice")
        let gaps = events.indices.filter { events[$0] == "gap" }.map { gap in
            let loss = events[..<gap].lastIndex(of: "lost") ?? gap
            return (
                events[..<loss].compactMap { Int($0) }.max() ?? 0, events[gap...].compactMap { Int($0) }.first ?? .max
            )
        }
        let missed = all.subtracting(heard).filter { number in !gaps.contains { $0.0 < number && number < $0.1 } }
        #expect(missed.isEmpty, "a message is missing, and no gap says so")
    }
}

extension Sequence {
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}

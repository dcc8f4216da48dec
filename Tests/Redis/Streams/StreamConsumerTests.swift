import EventLoop
import Redis
import Synchronization
import TestSupport
import Testing

@Suite struct StreamConsumerTests {
    @Test("Two consumers share a stream: every entry is handled once and acknowledged")
    func sharing() async throws {
        try await RedisFixture.run { fixture async throws in
            let stream = TestStream(fixture)
            let consumers = ["a", "b"].map { name in stream.consumer(name) { $0.batch = 10 } }
            for consumer in consumers { consumer.start() }
            try await stream.append(0..<500)
            try await eventually { stream.handled.count >= 500 }
            for consumer in consumers { await consumer.stop() }
            #expect(stream.handled.all.sorted() == Array(0..<500))
            let state = try #require(try await fixture.redis.groups(ofStream: stream.key).first)
            #expect(state.pending == 0 && state.lag == 0)
        }
    }

    @Test("With a concurrency of one, entries are handled in order")
    func order() async throws {
        try await RedisFixture.run { fixture async throws in
            let stream = TestStream(fixture)
            try await stream.append(0..<200)
            let consumer = stream.consumer("a") { $0.batch = 7 }
            consumer.start()
            try await eventually { stream.handled.count == 200 }
            await consumer.stop()
            #expect(stream.handled.all == Array(0..<200))
        }
    }

    @Test("As many entries as allowed are handled at the same time, and no more")
    func concurrency() async throws {
        try await RedisFixture.run { fixture async throws in
            let stream = TestStream(fixture)
            let highest = Highest()
            let consumer = stream.consumer("a") {
                $0.concurrency = 8
            } handling: { _ in
                highest.enter()
                try await fixture.group.loops[0].sleep(for: .milliseconds(5))
                highest.leave()
            }
            try await stream.append(0..<100)
            consumer.start()
            try await eventually { stream.handled.count == 100 }
            await consumer.stop()
            #expect(highest.most == 8)
        }
    }

    @Test("Entries of a crashed consumer are claimed by another one after the idle limit")
    func crashed() async throws {
        try await RedisFixture.run { fixture async throws in
            let stream = TestStream(fixture)
            let ids = try await stream.append(0..<30)
            try await fixture.redis.createGroup("workers", ofStream: stream.key)
            // A consumer that reads, never acknowledges and never comes back.
            try await fixture.redis.run(
                RedisCommand("XREADGROUP", "GROUP", "workers", "dead", "COUNT", 20, "STREAMS", stream.key, ">"))
            func alive() -> RedisStreamConsumer {
                stream.consumer("alive") {
                    $0.idleLimit = .seconds(600)
                    $0.readTimeout = .milliseconds(50)
                    $0.batch = 6
                    $0.consumerRetention = .milliseconds(1)
                }
            }
            let first = alive()
            first.start()
            try await eventually { stream.handled.count >= 10 }
            await first.stop()
            #expect(stream.handled.all == Array(20..<30), "the dead consumer may still come back")
            // Its entries become older than the limit. A new consumer claims at its start.
            let claim: [any RedisArgument] = [stream.key, "workers", "dead", 0]
            let entries: [any RedisArgument] = ids.prefix(20).map { $0 }
            let age: [any RedisArgument] = ["IDLE", 600_001, "JUSTID"]
            try await fixture.redis.run(RedisCommand("XCLAIM", claim + entries + age))
            let consumer = alive()
            consumer.start()
            try await eventually { stream.handled.count >= 30 }
            await consumer.stop()
            #expect(stream.handled.all.sorted() == Array(0..<30))
            #expect(try await fixture.redis.pending(ofStream: stream.key, group: "workers").isEmpty)

            // Once nothing is pending, the next start removes the dead consumer.
            consumer.start()
            try await stream.append(30..<31)
            try await eventually { stream.handled.count == 31 }
            await consumer.stop()
            #expect(try await fixture.redis.groups(ofStream: stream.key).first?.consumers == 1)
        }
    }

    @Test("A consumer that restarts under its name finds its pending entries at once")
    func comesBack() async throws {
        try await RedisFixture.run { fixture async throws in
            let stream = TestStream(fixture)
            try await stream.append(0..<10)
            try await fixture.redis.createGroup("workers", ofStream: stream.key)
            try await fixture.redis.run(
                RedisCommand("XREADGROUP", "GROUP", "workers", "a", "COUNT", 10, "STREAMS", stream.key, ">"))
            let consumer = stream.consumer("a") { $0.batch = 3 }
            consumer.start()
            try await eventually { stream.handled.count == 10 }
            await consumer.stop()
            #expect(stream.handled.all == Array(0..<10))
        }
    }

    @Test("An entry is retried after its handler throws, and does not stop the others")
    func failing() async throws {
        try await RedisFixture.run { fixture async throws in
            let stream = TestStream(fixture)
            let failures = Record<RedisStreamEntry.ID>()
            let attempts = Record<Int>()
            let consumer = stream.consumer("a") {
                $0.idleLimit = .seconds(1).patiently
                $0.readTimeout = .milliseconds(20)
            } observing: { event in
                if case .failed(let id, _) = event { failures.add(id) }
            } handling: { number in
                guard number == 3 else { return }
                attempts.add(number)
                if attempts.count < 3 { throw RedisError.notConnected }
            }
            // One read has all of them, however long each append takes.
            let ids = try await stream.append(0..<6)
            consumer.start()
            try await eventually { stream.handled.count == 6 }
            await consumer.stop()
            #expect(stream.handled.all == [0, 1, 2, 4, 5, 3])
            #expect(failures.all == [ids[3], ids[3]])
        }
    }

    @Test("An entry that is trimmed before it was handled is reported and acknowledged")
    func trimmed() async throws {
        try await RedisFixture.run { fixture async throws in
            let stream = TestStream(fixture)
            let ids = try await stream.append(0..<3)
            try await fixture.redis.createGroup("workers", ofStream: stream.key)
            try await fixture.redis.run(
                RedisCommand("XREADGROUP", "GROUP", "workers", "a", "COUNT", 3, "STREAMS", stream.key, ">"))
            try await fixture.redis.delete([ids[1]], fromStream: stream.key)
            let trimmed = Record<RedisStreamEntry.ID>()
            let consumer = stream.consumer("a") { _ in
            } observing: { event in
                if case .trimmed(let id) = event { trimmed.add(id) }
            }
            consumer.start()
            try await eventually { stream.handled.count == 2 && trimmed.count == 1 }
            await consumer.stop()
            #expect(trimmed.all == [ids[1]])
            #expect(try await fixture.redis.pending(ofStream: stream.key, group: "workers").isEmpty)
        }
    }

    @Test("stop waits for the entry in progress and acknowledges it; later entries wait for the next start")
    func stopping() async throws {
        try await RedisFixture.run { fixture async throws in
            let stream = TestStream(fixture)
            let begun = Record<Int>()
            let stops = Record<Bool>()
            let consumer = stream.consumer("a") { _ in
            } handling: { number in
                begun.add(number)
                try await eventually("a stop") { stops.count > 0 }
            }
            try await stream.append(0..<64)
            consumer.start()
            try await eventually { begun.count > 0 }
            let stopping = Task.immediate { await consumer.stop() }
            // Runs after the callbacks that stop has just sent to the loop.
            fixture.group.loops[0].execute { stops.add(true) }
            await stopping.value
            #expect(stream.handled.all == [0])
            #expect(try await fixture.redis.pending(ofStream: stream.key, group: "workers").count == 63)
            await consumer.stop()
            consumer.start()
            try await eventually { stream.handled.count == 64 }
            await consumer.stop()
            #expect(stream.handled.all == Array(0..<64))
        }
    }
}

/// The highest number of handlers at the same time.
private final class Highest: Sendable {
    private let state = Mutex((now: 0, most: 0))

    var most: Int { state.withLock(\.most) }

    func enter() {
        state.withLock {
            $0.now += 1
            $0.most = max($0.most, $0.now)
        }
    }

    func leave() { state.withLock { $0.now -= 1 } }
}

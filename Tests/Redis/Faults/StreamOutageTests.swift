import EventLoop
import Redis
import TestSupport
import Testing

@Suite struct StreamOutageTests {
    @Test(
        "Across crashes of Redis, consumers recover and handle every acknowledged entry at least once"
    )
    func crashes() async throws {
        let server = try await RedisServer.start(isDurable: true)
        try await RedisFixture.run(server) { fixture async throws in
            let stream = TestStream(fixture)
            let interruptions = Record<String>()
            let consumers = ["a", "b"].map { name in
                stream.consumer(name) {
                    $0.batch = 5
                    $0.idleLimit = .seconds(1)
                } observing: { event in
                    if case .interrupted = event { interruptions.add(name) }
                }
            }
            for consumer in consumers { consumer.start() }
            var appended: Set<Int> = []
            for number in 0..<900 {
                if number == 300 || number == 600 {
                    await server.kill()
                    try await server.start()
                    try await fixture.redis.connected(within: .seconds(60))
                }
                do {
                    try await stream.append(number..<(number + 1))
                    appended.insert(number)
                } catch is RedisError {}
            }
            let sent = appended
            try await eventually { sent.isSubset(of: stream.handled.all) }
            #expect(sent.count >= 890)
            #expect(Set(interruptions.all) == ["a", "b"])
            for consumer in consumers { await consumer.stop() }
        }
    }

    @Test("After Redis has lost its data the group is created again, and new entries are handled")
    func flushed() async throws {
        let server = try await RedisServer.start()
        try await RedisFixture.run(server) { fixture async throws in
            let stream = TestStream(fixture)
            let created = Record<Bool>()
            let consumer = stream.consumer("a") { _ in
            } observing: { event in
                if case .groupCreated = event { created.add(true) }
            }
            consumer.start()
            try await stream.append(0..<10)
            try await eventually { stream.handled.count == 10 }
            try await fixture.redis.run(RedisCommand("FLUSHALL"))
            try await stream.append(10..<20)
            try await eventually { stream.handled.count == 20 }
            #expect(stream.handled.all == Array(0..<20))
            #expect(created.count == 2)
            await consumer.stop()
        }
    }

    @Test("A consumer stops at once while Redis is down")
    func stopsDuringOutage() async throws {
        let server = try await RedisServer.start()
        try await RedisFixture.run(server) { fixture async throws in
            var configuration = fixture.configuration
            // It waits between attempts for longer than the test does, unless it is stopped.
            configuration.backoff = (first: .seconds(60), limit: .seconds(60))
            let interruptions = Record<RedisError>()
            let consumer = RedisStreamConsumer(
                RedisConsumption(stream: "stopped", group: "workers", consumer: "a"), of: configuration,
                on: fixture.group.loops[0], resolvingOn: fixture.pool,
                observer: { event in if case .interrupted(let error) = event { interruptions.add(error) } },
                handler: { _ in })
            consumer.start()
            await server.kill()
            try await eventually { interruptions.count >= 1 }
            let stopped = Record<Bool>()
            let stopping = Task {
                await consumer.stop()
                stopped.add(true)
            }
            let time = try await timed(within: .seconds(60), "the end") { stopped.count > 0 }
            #expect(time < .seconds(15).patiently)
            await stopping.value
        }
    }
}

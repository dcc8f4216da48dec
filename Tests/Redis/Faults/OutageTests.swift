import EventLoop
import Glibc
import Redis
import Synchronization
import TestSupport
import Testing

@Suite(.serialized) struct OutageTests {
    @Test("Killed and restarted under load, every command ends within its deadline and none is lost or executed twice")
    func killed() async throws {
        let server = try await RedisServer.start(isDurable: true)
        try await RedisFixture.run(server) {
            $0.commandTimeout = .seconds(2).patiently
        } _: { fixture async throws in
            let tally = Tally()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for loop in fixture.group.loops {
                    for _ in 0..<16 {
                        group.addTask { try await loop.run { await tally.count(fixture, on: loop) } }
                    }
                }
                for _ in 0..<2 {
                    try await tally.goesOn()
                    await server.kill()
                    let refused = tally.outcomes.refused
                    try await eventually("a refusal") { tally.outcomes.refused > refused }
                    try await server.start()
                }
                try await tally.goesOn()
                tally.isOver.store(true, ordering: .relaxed)
                try await group.waitForAll()
            }
            try await fixture.redis.connected(within: .seconds(60))
            let end = tally.outcomes
            let count = try await fixture.redis.increment(fixture.key("count"), by: 0)
            #expect(count >= end.done, "an acknowledged increment is lost")
            #expect(count <= end.done + end.unknown, "more increments than were sent")
            #expect(end.refused > 0, "there was no outage")
            #expect(end.longest < .seconds(15).patiently, "the deadline, and a machine that stands still")
            #expect(fixture.redis.state != .connected(generation: 1))
        }
    }

    /// Increments a counter at the server and counts the outcomes.
    private final class Tally: Sendable {
        struct Outcomes {
            var done = 0
            var unknown = 0
            var refused = 0
            var longest = Duration.zero
        }

        private let state = Mutex(Outcomes())
        let isOver = Atomic<Bool>(false)

        var outcomes: Outcomes { state.withLock(\.self) }

        func count(_ fixture: RedisFixture, on loop: EventLoop) async {
            let key = fixture.key("count")
            while !isOver.load(ordering: .relaxed), !Task.isCancelled {
                let start = ContinuousClock.now
                do {
                    try await fixture.redis.increment(key)
                    state.withLock { $0.done += 1 }
                } catch {
                    switch error {
                    case .timedOut, .connectionLost, .unexpectedReply: state.withLock { $0.unknown += 1 }
                    case .notConnected, .overloaded, .connectFailed, .server, .closed:
                        state.withLock { $0.refused += 1 }
                    }
                    try? await loop.sleep(for: .milliseconds(5))
                }
                let time = ContinuousClock.now - start
                state.withLock { $0.longest = max($0.longest, time) }
            }
        }

        func goesOn() async throws {
            let before = outcomes.done
            try await eventually { self.outcomes.done > before + 500 }
        }
    }

    @Test("A late reply is dropped, and the commands after it get their own replies")
    func pause() async throws {
        let server = try await RedisServer.start()
        try await RedisFixture.run(server) { fixture async throws in
            let redis = fixture.redis
            server.signal(SIGSTOP)
            await #expect(throws: RedisError.timedOut) {
                try await redis.run(RedisCommand("ECHO", "late"), within: .milliseconds(50))
            }
            async let next = redis.run(RedisCommand("ECHO", "next"))
            server.signal(SIGCONT)
            #expect(try await next.text == "next")
            #expect(redis.state == .connected(generation: 1))
        }
    }

    @Test(
        "A server that falls silent is given up: commands fail by their deadline, later ones at once, until it is back")
    func silence() async throws {
        let server = try await RedisServer.start()
        try await RedisFixture.run(server) {
            $0.commandTimeout = .seconds(1).patiently
        } _: { fixture async throws in
            let redis = fixture.redis
            let states = Record<RedisState>()
            redis.observe { if EventLoop.current?.index == 0 { states.add($0) } }
            server.signal(SIGSTOP)
            await #expect(throws: RedisError.timedOut) { try await redis.get("x") }
            #expect(!redis.state.isConnected)
            await #expect(throws: RedisError.notConnected) { try await redis.get("x") }
            server.signal(SIGCONT)
            try await redis.connected(within: .seconds(60))
            #expect(try await redis.get("x") == nil)
            let all = states.all
            #expect(all.first == .connected(generation: 1) && all.last == .connected(generation: 2))
            #expect(all.dropFirst().dropLast().allSatisfy { if case .lost = $0 { true } else { false } })
        }
    }

    @Test("A loop that was blocked accepts the replies that arrived meanwhile as in time")
    func heldUp() async throws {
        // The script blocks its server, and other tests remove all scripts of theirs.
        try await RedisFixture.run(try await RedisServer.start()) {
            $0.commandTimeout = .seconds(1).patiently
        } _: { fixture async throws in
            let (redis, loop) = (fixture.redis, fixture.group.loops[0])
            let slow = RedisScript(
                """
                local function now() local t = redis.call('TIME') return t[1] * 1000000 + t[2] end
                local start = now() while now() < start + 100000 do end return 'done'
                """)
            try await redis.run(slow, keys: [])
            async let reply = redis.run(slow, keys: [])
            // Long enough for the command to be sent, not for its reply.
            try await loop.sleep(for: .milliseconds(10))
            usleep(UInt32(fixture.configuration.commandTimeout / .microseconds(1) * 1.5))
            // The server answers this after the script, also if it stood still meanwhile.
            let other = try RawConnection(port: fixture.server.port)
            try other.send("PING\r\n")
            #expect(try other.receive(until: "\r\n") == "+PONG\r\n")
            #expect(try await reply.text == "done")
            #expect(redis.state == .connected(generation: 1))
        }
    }

    @Test("An idle connection to a server that has fallen silent is detected")
    func idleSilence() async throws {
        let server = try await RedisServer.start()
        try await RedisFixture.run(server) {
            // A live server on a busy machine may be silent for a second.
            $0.pingInterval = .seconds(1).patiently
            $0.commandTimeout = .seconds(2).patiently
        } _: { fixture async throws in
            try await eventually("pings") { try await server.calls(of: "ping") > 2 }
            #expect(fixture.redis.state == .connected(generation: 1), "a live server is not given up")
            server.signal(SIGSTOP)
            try await eventually("giving up") { !fixture.redis.state.isConnected }
            server.signal(SIGCONT)
        }
    }

    @Test("A server that closes the connections it accepts is retried after growing pauses")
    func backOff() async throws {
        let listener = try ClosingListener()
        let (group, pool) = (EventLoopGroup(count: 1), BlockingPool(threads: 1, limit: 1))
        let start = ContinuousClock.now
        let redis = Redis(
            RedisConfiguration(.host("127.0.0.1", port: listener.port)), on: group, resolvingOn: pool)
        try await eventually("six attempts") { listener.accepted.count >= 6 }
        // Five pauses of 50, 100, 200, 400 and 800 ms, each at least half of that.
        #expect(listener.accepted[5] - start >= .milliseconds(775))
        redis.close()
        await onOwnThread { group.stop() }
        pool.stop()
        listener.stop()
    }

    @Test("A server that closes connections after authentication is retried after growing pauses")
    func revolvingDoor() async throws {
        let (group, pool) = (EventLoopGroup(count: 1), BlockingPool(threads: 1, limit: 1))
        try await group.loops[0].run {
            let server = try ScriptedServer(on: group.loops[0]) { _, input in
                input.contains("PING") ? "+PONG\r\n" : "what?\r\n"
            }
            let start = ContinuousClock.now
            let redis = Redis(
                RedisConfiguration(.host("127.0.0.1", port: server.port)), on: group, resolvingOn: pool)
            while server.count < 6 {
                try await redis.connected(within: .seconds(60).patiently)
                await #expect(throws: RedisError.self) { try await redis.get("x") }
            }
            // Five pauses, as for a server that refuses to authenticate.
            #expect(ContinuousClock.now - start >= .milliseconds(775))
            redis.close()
            server.stop()
        }
        await onOwnThread { group.stop() }
        pool.stop()
    }

    @Test("A client that is started before its server connects when the server starts")
    func early() async throws {
        let server = try await RedisServer.start()
        await server.stop()
        let group = EventLoopGroup(count: 1)
        let configuration = RedisConfiguration(.host("127.0.0.1", port: server.port))
        let redis = Redis(configuration, on: group, resolvingOn: BlockingPool(threads: 1, limit: 1))
        try await group.loops[0].run {
            await #expect(throws: RedisError.self) { try await redis.connected(within: .milliseconds(100)) }
            await #expect(throws: RedisError.notConnected) { try await redis.get("x") }
        }
        try await server.start()
        try await group.loops[0].run {
            try await redis.connected(within: .seconds(60))
            #expect(try await redis.get("x") == nil)
            redis.close()
            await #expect(throws: RedisError.closed) { try await redis.get("x") }
        }
        await onOwnThread { group.stop() }
    }
}

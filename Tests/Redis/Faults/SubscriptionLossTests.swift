import EventLoop
import Glibc
import Redis
import TestSupport
import Testing

@Suite struct SubscriptionLossTests {
    @Test("After a crash of Redis every listener gets lost at once, and gap when it receives messages again")
    func crash() async throws {
        let server = try await RedisServer.start()
        try await RedisFixture.run(server) { fixture async throws in
            let subscriber = fixture.subscriber()
            defer { subscriber.close() }
            let logs = (0..<600).map { _ in Record<RedisSubscription.Event>() }
            let subscriptions = logs.indices.map { number in
                subscriber.listen(to: "room\(number)", on: fixture.loop) { logs[number].add($0) }
            }
            for subscription in subscriptions { try await subscription.confirmed(within: .seconds(60)) }
            try await fixture.redis.publish("before", to: "room7")
            try await eventually { logs[7].count == 2 }

            await server.kill()
            try await eventually { logs.allSatisfy { $0.all.last == .lost } }
            #expect(subscriptions.allSatisfy { !$0.isLive })
            let late = Record<RedisSubscription.Event>()
            let lateSubscription = subscriber.listen(to: "late", on: fixture.loop) { late.add($0) }
            try await server.start()
            for subscription in subscriptions + [lateSubscription] {
                try await subscription.confirmed(within: .seconds(60))
            }
            try await fixture.redis.connected(within: .seconds(60))
            for number in logs.indices {
                #expect(try await fixture.redis.publish("after", to: "room\(number)") == 1)
            }
            try await eventually { logs.allSatisfy { $0.all.last == .message(Array("after".utf8)) } }
            #expect(logs[0].all == [.confirmed, .lost, .gap, .message(Array("after".utf8))])
            #expect(logs[7].count == 5)
            #expect(late.all == [.confirmed], "a listener that was never confirmed has no gap")
        }
    }

    @Test("Observers on every loop get connected after all channels are confirmed")
    func observers() async throws {
        let server = try await RedisServer.start()
        try await RedisFixture.run(server) { fixture async throws in
            let subscriber = fixture.subscriber()
            defer { subscriber.close() }
            let logs = (0..<2).map { _ in Record<String>() }
            try await fixture.group.loops[1].run {
                for number in 0..<2000 {
                    _ = subscriber.listen(to: "room\(number)", on: fixture.group.loops[1]) { event in
                        switch event {
                        case .confirmed, .gap: logs[1].add("live")
                        case .lost: logs[1].add("lost")
                        case .message: break
                        }
                    }
                }
            }
            subscriber.observe { state in
                let index = EventLoop.current?.index ?? -1
                switch state {
                case .connected(let generation): logs[index].add("connected \(generation)")
                case .lost: logs[index].add("lost")
                case .connecting, .closed: break
                }
            }
            try await eventually { logs[1].all.count == 2001 && logs[0].count == 1 }
            await server.kill()
            try await eventually { logs[1].all.count >= 4002 }
            try await server.start()
            try await eventually { logs[1].all.last == "connected 2" && logs[0].all.last == "connected 2" }
            let second = logs[1].all.drop { $0 != "lost" }
            #expect(second.prefix(2000).allSatisfy { $0 == "lost" })
            #expect(second.dropFirst(2000).first == "lost")
            #expect(second.filter { $0 == "live" }.count == 2000)
            #expect(logs[0].all.first == "connected 1")
        }
    }

    @Test("A subscriber detects that its server has fallen silent, although no message is published")
    func silence() async throws {
        let server = try await RedisServer.start()
        try await RedisFixture.run(server) { fixture async throws in
            // A live server on a busy machine may be silent for a second.
            let subscriber = fixture.subscriber { $0.pingInterval = .seconds(1).patiently }
            defer { subscriber.close() }
            let received = Record<RedisSubscription.Event>()
            _ = try await subscriber.subscribe(to: "room", on: fixture.loop, within: .seconds(20).patiently) {
                received.add($0)
            }
            try await eventually("pings") { try await server.calls(of: "ping") > 2 }
            #expect(received.all == [.confirmed], "a live server is not given up")
            server.signal(SIGSTOP)
            try await eventually { received.all == [.confirmed, .lost] }
            server.signal(SIGCONT)
            try await eventually { received.all == [.confirmed, .lost, .gap] }
        }
    }

    @Test("A process that stood still asks its server for a sign of life before it gives a subscription up")
    func stoodStill() async throws {
        try await RedisFixture.run { fixture async throws in
            let interval = Duration.seconds(1).patiently
            let subscriber = fixture.subscriber { $0.pingInterval = interval }
            defer { subscriber.close() }
            let (received, channel) = (Record<RedisSubscription.Event>(), fixture.name + "room")
            let subscription = subscriber.listen(to: channel, on: fixture.loop) { received.add($0) }
            try await subscription.confirmed(within: .seconds(60))
            // The loop of the subscriber, for longer than a server may be silent.
            let time = UInt32(interval / .microseconds(1) * 2.5)
            fixture.group.loops[0].execute { usleep(time) }
            usleep(time)
            try await fixture.redis.publish("after", to: channel)
            try await eventually("the message") { received.all.last == .message(Array("after".utf8)) }
            #expect(received.all == [.confirmed, .message(Array("after".utf8))])
        }
    }

    @Test("A subscriber without permission to subscribe reports it and retries")
    func forbidden() async throws {
        let server = try await RedisServer.start(["--user", "default", "on", "nopass", "~*", "resetchannels", "+@all"])
        try await RedisFixture.run(server) { fixture async throws in
            let subscriber = fixture.subscriber()
            defer { subscriber.close() }
            let states = Record<RedisState>()
            subscriber.observe { states.add($0) }
            let subscription = subscriber.listen(to: "room", on: fixture.loop) { _ in }
            await #expect(throws: RedisError.timedOut) { try await subscription.confirmed(within: .milliseconds(300)) }
            try await eventually("a refusal") {
                states.all.contains { if case .lost(let error) = $0 { error.code == "NOPERM" } else { false } }
            }
            try await fixture.redis.run(RedisCommand("ACL", "SETUSER", "default", "allchannels"))
            try await subscription.confirmed(within: .seconds(60))
        }
    }
}

import EventLoop
import Glibc
import Redis
import Synchronization
import TestSupport
import Testing

@Suite struct PubSubTests {
    @Test("A subscriber receives every message published after subscribe returned, in order")
    func order() async throws {
        try await RedisFixture.run { fixture async throws in
            let subscriber = fixture.subscriber()
            defer { subscriber.close() }
            for number in 0..<50 {
                let channel = fixture.name + "\(number)"
                let received = Record<RedisSubscription.Event>()
                let subscription = try await subscriber.subscribe(
                    to: channel, on: fixture.loop, within: .seconds(20).patiently
                ) { received.add($0) }
                let receivers = await fixture.redis.run((0..<20).map { RedisCommand("PUBLISH", channel, $0) })
                #expect(receivers.allSatisfy { $0 == .success(.integer(1)) })
                try await eventually { received.count == 21 }
                #expect(received.all == [.confirmed] + (0..<20).map { .message(Array("\($0)".utf8)) })
                subscription.cancel()
            }
        }
    }

    @Test("The server gets one SUBSCRIBE for the listeners of all loops, and one UNSUBSCRIBE after the last")
    func references() async throws {
        try await RedisFixture.run { fixture async throws in
            let subscriber = fixture.subscriber()
            defer { subscriber.close() }
            let channel = fixture.name + "room"
            let received = Record<Int>()
            var subscriptions: [RedisSubscription] = []
            for number in 0..<6 {
                let loop = fixture.group.loops[number % 2]
                subscriptions.append(
                    try await loop.run {
                        try await subscriber.subscribe(to: channel, on: loop, within: .seconds(20).patiently) { event in
                            guard case .message = event else { return }
                            #expect(EventLoop.current === loop)
                            received.add(number)
                        }
                    })
            }
            #expect(try await fixture.redis.publish("hello", to: channel) == 1)
            try await eventually { received.count == 6 }
            #expect(received.all.sorted() == Array(0..<6))
            for subscription in subscriptions.dropLast() {
                try await subscription.loop.run { subscription.cancel() }
            }
            #expect(try await fixture.redis.publish("to the last", to: channel) == 1)
            try await eventually { received.count == 7 }
            #expect(received.all.last == 5)
            let last = subscriptions[5]
            try await last.loop.run { last.cancel() }
            while try await fixture.redis.publish("unheard", to: channel) != 0 {}
            #expect(received.count == 7, "a cancelled listener receives nothing")
        }
    }

    @Test("Three thousand channels are subscribed to in a few commands")
    func bulk() async throws {
        try await RedisFixture.run(try await RedisServer.start()) { fixture async throws in
            let subscriber = fixture.subscriber()
            defer { subscriber.close() }
            _ = try await subscriber.subscribe(
                to: fixture.name + "warm", on: fixture.loop, within: .seconds(20).patiently
            ) { _ in }
            let before = try await fixture.server.calls(of: "subscribe")
            let received = Record<Int>()
            let subscriptions = (0..<3000).map { number in
                subscriber.listen(to: fixture.name + "\(number)", on: fixture.loop) { event in
                    if case .message = event { received.add(number) }
                }
            }
            for subscription in subscriptions { try await subscription.confirmed(within: .seconds(60)) }
            #expect(try await fixture.server.calls(of: "subscribe") - before <= 10)
            let receivers = await fixture.redis.run(
                (0..<3000).map { RedisCommand("PUBLISH", fixture.name + "\($0)", "x") })
            #expect(receivers.allSatisfy { $0 == .success(.integer(1)) })
            try await eventually { received.count == 3000 }
            #expect(received.all.sorted() == Array(0..<3000))
        }
    }

    @Test("A subscription that is not confirmed in time is reported and leaves nothing behind")
    func unconfirmed() async throws {
        let server = try await RedisServer.start()
        try await RedisFixture.run(server) { fixture async throws in
            let subscriber = fixture.subscriber()
            defer { subscriber.close() }
            _ = try await subscriber.subscribe(to: "warm", on: fixture.loop, within: .seconds(20).patiently) { _ in }
            server.signal(SIGSTOP)
            let received = Record<RedisSubscription.Event>()
            await #expect(throws: RedisError.timedOut) {
                _ = try await subscriber.subscribe(to: "room", on: fixture.loop, within: .milliseconds(100)) {
                    received.add($0)
                }
            }
            server.signal(SIGCONT)
            while try await fixture.redis.publish("x", to: "room") != 0 {}
            #expect(received.count == 0)
        }
    }

    @Test("A slow loop makes the subscriber pause reading; in the end it gets every message in order")
    func backPressure() async throws {
        try await RedisFixture.run(try await RedisServer.start()) { fixture async throws in
            let (sent, received) = try await Self.flood(fixture) {}
            #expect(received == (0..<sent).map(Int32.init))
        }
    }

    @Test("A subscriber that pauses reading for a slow loop does not take the server for dead")
    func pausedForLong() async throws {
        try await RedisFixture.run(try await RedisServer.start()) { fixture async throws in
            let interval = Duration.milliseconds(500)
            // A server that stood still meanwhile is given up rightly. One attempt without that is enough.
            for _ in 1...5 {
                let (sent, received) = try await Self.flood(fixture, pingInterval: interval) {
                    try await pause(for: interval * 4)
                }
                if received == (0..<sent).map(Int32.init) { return }
            }
            Issue.record("the connection was given up each time")
        }
    }

    /// Publishes numbers to a loop that takes none of them, until some wait at the server, and lets the loop go on after `meanwhile`.
    /// Returns how many were published and which were received; -1 stands for the end of the connection.
    private static func flood(
        _ fixture: RedisFixture, pingInterval: Duration? = nil, _ meanwhile: () async throws -> Void
    ) async throws -> (sent: Int, received: [Int32]) {
        let subscriber = fixture.subscriber {
            $0.deliveryLimit = 1 << 20
            if let pingInterval { $0.pingInterval = pingInterval }
        }
        defer { subscriber.close() }
        let channel = fixture.name + "flood"
        let received = Record<Int32>()
        let slow = fixture.group.loops[1]
        let gate = Gate()
        // A loop that waits at the gate cannot be stopped.
        defer { gate.isOpen.store(true, ordering: .relaxed) }
        try await slow.run {
            _ = try await subscriber.subscribe(to: channel, on: slow, within: .seconds(20).patiently) { event in
                switch event {
                case .message(let bytes):
                    while !gate.isOpen.load(ordering: .relaxed) { usleep(1000) }
                    received.add(bytes.withUnsafeBytes { $0.loadUnaligned(as: Int32.self) })
                case .lost: received.add(-1)
                default: break
                }
            }
        }
        var sent = 0
        while !(try await fixture.serverHoldsMessages()) {
            #expect(sent < 400, "no message has to wait at the server")
            var message = [UInt8](repeating: 0, count: 65_536)
            withUnsafeBytes(of: Int32(sent)) { message.replaceSubrange(0..<4, with: $0) }
            try await fixture.redis.publish(message, to: channel)
            sent += 1
        }
        try await meanwhile()
        gate.isOpen.store(true, ordering: .relaxed)
        let count = sent
        try await eventually { received.count == count || received.all.contains(-1) }
        return (sent, received.all)
    }
}

private final class Gate: Sendable {
    let isOpen = Atomic<Bool>(false)
}

extension RedisFixture {
    /// Whether the server holds published messages that were not read.
    fileprivate func serverHoldsMessages() async throws -> Bool {
        let clients = try await redis.run(RedisCommand("CLIENT", "LIST", "TYPE", "pubsub")).text ?? ""
        return clients.split(separator: " ").contains { $0.hasPrefix("omem=") && $0 != "omem=0" }
    }
}

import EventLoop
import Synchronization
import TestSupport
import Testing

@testable import Redis

@Suite struct RedirectionTests {
    /// Runs `body` on a loop with a client of a scripted cluster, after `prepare`.
    private static func run(
        _ answer: @escaping @Sendable (_ address: (Int) -> String, _ node: Int, _ command: [String]) -> String?,
        prepare: (ScriptedCluster) -> Void = { _ in }, adjust: (inout RedisConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (ScriptedCluster, Redis, RedisSubscriber) async throws -> Void
    ) async throws {
        let group = EventLoopGroup(count: 1)
        let pool = BlockingPool(threads: 1, limit: 16, name: "resolver")
        let addresses = Mutex<[String]>([])
        let cluster = try await group.loops[0].run {
            try ScriptedCluster(on: group.loops[0]) { node, command in
                answer({ index in addresses.withLock { $0[index] } }, node, command)
            }
        }
        addresses.withLock { $0 = [cluster.address(0), cluster.address(1)] }
        prepare(cluster)
        var configuration = try #require(RedisConfiguration(url: cluster.url))
        configuration.commandTimeout = .seconds(20).patiently
        adjust(&configuration)
        configuration.joinCluster(on: group, resolvingOn: pool)
        let redis = Redis(configuration, on: group, resolvingOn: pool)
        let subscriber = RedisSubscriber(configuration, on: group, resolvingOn: pool)
        let outcome: Result<Void, any Error>
        do {
            try await group.loops[0].run {
                try await redis.connected(within: .seconds(60).patiently)
                try await body(cluster, redis, subscriber)
            }
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        subscriber.close()
        redis.close()
        configuration.cluster?.close()
        try await group.loops[0].run { cluster.stop() }
        await onOwnThread { group.stop() }
        pool.stop()
        try outcome.get()
    }

    private static let value = "$5\r\nvalue\r\n"

    @Test("A command for a slot that has moved is sent to its new master, and so are later ones")
    func moved() async throws {
        let events = Record<String>()
        try await Self.run { address, node, command in
            node == 0 && command[0] == "GET" ? "-MOVED \(HashSlot.of("key".utf8)) \(address(1))\r\n" : Self.value
        } adjust: {
            $0.onClusterEvent = { if case .redirected(let kind) = $0 { events.add(kind) } }
        } _: { cluster, redis, _ async throws in
            #expect(try await redis.get("key") == Array("value".utf8))
            #expect(try await redis.get("{key}2") == Array("value".utf8))
            #expect(cluster.log == ["0 GET key", "1 GET key", "1 GET {key}2"])
            #expect(events.all == ["moved"])
        }
    }

    @Test("A master that a refusal names before the map does is known to have taken the other's place")
    func succession() async throws {
        try await Self.run { address, node, command in
            node == 0 && command[0] == "GET" ? "-MOVED \(HashSlot.of("key".utf8)) \(address(1))\r\n" : Self.value
        } _: { cluster, redis, _ async throws in
            let returns = Record<Bool>()
            redis.observeReturns { returns.add(true) }
            let before = redis.state
            #expect(try await redis.get("key") == Array("value".utf8))
            #expect(redis.state != before, "the new master may not have the last writes")
            cluster.serve(at: 1)
            try await eventually("a return") { returns.count == 1 }
            #expect(redis.timeSinceReturn(of: "key") != nil)
        }
    }

    @Test("A listener that comes while no node has its slot hears the room once a node has")
    func unserved() async throws {
        let isReady = Mutex(false)
        let readings = Record<Bool>()
        try await Self.run { _, _, command in
            guard command[0] == "SSUBSCRIBE" else { return nil }
            let confirmation = ScriptedCluster.push("ssubscribe", command[1])
            return isReady.withLock(\.self) ? confirmation : "-CLUSTERDOWN Hash slot not served\r\n"
        } adjust: {
            $0.onClusterEvent = { if case .refreshed = $0 { readings.add(true) } }
        } _: { cluster, redis, subscriber async throws in
            let loop = EventLoop.current!
            let first = subscriber.listen(to: "room", isSharded: true, on: loop) { _ in }
            try await eventually("a refusal") { !cluster.log.isEmpty }
            cluster.serve(0...0)
            try await eventually("a map without the slot") { !redis.state.isConnected }
            // The refused channel waits for its next attempt.
            first.cancel()
            let second = subscriber.listen(to: "room", isSharded: true, on: loop) { _ in }
            // That attempt comes before the second reading.
            let count = readings.count
            try await eventually("two readings") { readings.count >= count + 2 }
            isReady.withLock { $0 = true }
            cluster.serve()
            try await second.confirmed(within: .seconds(20).patiently)
        }
    }

    @Test("A command for a key that is on its way goes to the other node after ASKING, and the next one to the master")
    func ask() async throws {
        let asked = Mutex(0)
        try await Self.run { address, node, command in
            guard node == 0, command[0] == "GET" else { return command[0] == "GET" ? Self.value : nil }
            return asked.withLock { count -> String in
                count += 1
                return count == 1 ? "-ASK \(HashSlot.of("key".utf8)) \(address(1))\r\n" : Self.value
            }
        } _: { cluster, redis, _ async throws in
            #expect(try await redis.get("key") == Array("value".utf8))
            #expect(try await redis.get("key") == Array("value".utf8))
            #expect(cluster.log == ["0 GET key", "1 ASKING", "1 GET key", "0 GET key"])
        }
    }

    @Test(
        "A command is sent again after a pause while the node cannot execute it",
        arguments: ["TRYAGAIN Multiple keys", "CLUSTERDOWN Hash slot not served", "LOADING Redis is loading"])
    func later(refusal: String) async throws {
        let asked = Mutex(0)
        try await Self.run { _, _, command in
            guard command[0] == "GET" else { return nil }
            return asked.withLock { count -> String in
                count += 1
                return count < 3 ? "-\(refusal)\r\n" : Self.value
            }
        } _: { cluster, redis, _ async throws in
            #expect(try await redis.get("key") == Array("value".utf8))
            #expect(cluster.log == ["0 GET key", "0 GET key", "0 GET key"])
        }
    }

    @Test("A command that no node accepts fails with the refusal")
    func refused() async throws {
        try await Self.run { address, node, command in
            "-MOVED \(HashSlot.of("key".utf8)) \(address(1 - node))\r\n"
        } _: { cluster, redis, _ async throws in
            let error = await #expect(throws: RedisError.self) { try await redis.get("key") }
            #expect(error?.code == "MOVED")
            #expect(cluster.log.count == ClusterRouter.mostRedirections + 1)
            // An error that says nothing about the cluster is one for the caller.
            let other = await #expect(throws: RedisError.self) {
                try await redis.run(RedisCommand("GET", RedisKey("key")), within: .milliseconds(1))
            }
            #expect(other != nil)
        }
    }

    @Test("A room that a node gives up by itself is subscribed to again, and its listener learns of the gap")
    func unasked() async throws {
        try await Self.run { _, _, command in
            guard command[0] == "SSUBSCRIBE" else { return nil }
            let confirmation = ScriptedCluster.push("ssubscribe", command[1])
            return command[1] == "other" ? confirmation + ScriptedCluster.push("sunsubscribe", "room") : confirmation
        } _: { cluster, _, subscriber async throws in
            let events = Record<RedisSubscription.Event>()
            let others = Record<RedisSubscription.Event>()
            let room = try await subscriber.enter("room") { events.add($0) }
            let other = try await subscriber.enter("other") { others.add($0) }
            try await eventually { events.all == [.confirmed, .lost, .gap] }
            #expect(others.all == [.confirmed], "the connection is still there")
            #expect(cluster.log == ["0 SSUBSCRIBE room", "0 SSUBSCRIBE other", "0 SSUBSCRIBE room"])
            room.cancel()
            other.cancel()
            try await eventually { cluster.log.count == 5 }
            #expect(Set(cluster.log[3...]) == ["0 SUNSUBSCRIBE room", "0 SUNSUBSCRIBE other"])
        }
    }

    @Test("A room that is left just as its slot moves disturbs no other room of the node")
    func leftMeanwhile() async throws {
        try await Self.run { address, _, command in
            switch command[0] {
            case "SSUBSCRIBE": return ScriptedCluster.push("ssubscribe", command[1])
            case "SUNSUBSCRIBE":
                // The node gives the room up before it reads the command.
                return ScriptedCluster.push("sunsubscribe", command[1])
                    + "-MOVED \(HashSlot.of(command[1].utf8)) \(address(1))\r\n"
            default: return nil
            }
        } _: { cluster, _, subscriber async throws in
            let events = Record<RedisSubscription.Event>()
            let room = try await subscriber.enter("room") { _ in }
            _ = try await subscriber.enter("other") { events.add($0) }
            room.cancel()
            try await eventually { cluster.log.contains("0 SUNSUBSCRIBE room") }
            _ = try await subscriber.enter("third") { _ in }
            #expect(events.all == [.confirmed], "the connection is still there")
        }
    }

    @Test("The listener of hints leaves a replica that the cluster does not have any more, although it is connected to")
    func removedReplica() async throws {
        try await Self.run { _, _, command in
            command[0] == "SUBSCRIBE" ? ScriptedCluster.push("subscribe", command[1]) : nil
        } prepare: {
            // The subscriber connects to the first node, which the URL names, before there is a map.
            $0.serve(at: 1, replicas: [0])
        } _: { cluster, _, subscriber async throws in
            _ = try await subscriber.subscribe(to: "hints", on: EventLoop.current!, within: .seconds(60)) { _ in }
            cluster.serve(at: 1)
            // The next map makes it leave. Without that rule it connected to the other node as well, but some 15 seconds later.
            let time = try await timed(within: .seconds(60), "the other node") {
                cluster.log.contains("1 SUBSCRIBE hints")
            }
            #expect(time < .seconds(8).patiently)
        }
    }

    @Test("A room is subscribed to where the refusal says, or again when the node is ready")
    func subscribing() async throws {
        let asked = Mutex(0)
        try await Self.run { address, node, command in
            guard command[0] == "SSUBSCRIBE" else { return nil }
            if command[1] == "moved", node == 0 { return "-MOVED \(HashSlot.of("moved".utf8)) \(address(1))\r\n" }
            let isFirst = asked.withLock { count -> Bool in
                count += 1
                return count == 1
            }
            return isFirst ? "-CLUSTERDOWN Hash slot not served\r\n" : ScriptedCluster.push("ssubscribe", command[1])
        } _: { cluster, _, subscriber async throws in
            let events = Record<RedisSubscription.Event>()
            for room in ["late", "moved"] { _ = try await subscriber.enter(room) { events.add($0) } }
            #expect(events.all == [.confirmed, .confirmed])
            #expect(cluster.log.contains("1 SSUBSCRIBE moved"))
        }
    }
}

extension RedisSubscriber {
    /// Subscribes to a room on the present loop, within a time that only a fault reaches.
    fileprivate func enter(
        _ room: String, _ handler: @escaping (RedisSubscription.Event) -> Void
    ) async throws -> RedisSubscription {
        let (loop, limit) = (EventLoop.current!, Duration.seconds(20).patiently)
        return try await subscribe(to: room, isSharded: true, on: loop, within: limit, handler: handler)
    }
}

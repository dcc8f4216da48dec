import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Outages", .serialized)
struct OutageTests {
    @Test("When Redis is back, all heads are compared in one call, and missed messages come once and in order")
    func redisAway() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let rooms = [GatewayHarness.channel, RoomID(ChannelID(8)), GatewayHarness.dm]
                var clients: [(room: RoomID, client: SocketClient)] = []
                for room in rooms {
                    for profile in ["gathering", "native"] {
                        let user: Int64 = profile == "native" ? 2 : 1
                        clients.append(
                            (room, try await harness.reader(user, profile, port: node.port, in: room)))
                    }
                }
                for room in rooms { try await harness.say("before", in: room) }
                for (room, client) in clients {
                    try await client.until("a message") { $0.texts(Namespace.name(of: room)) == ["before"] }
                }
                await harness.redis.kill()
                harness.peers.change { $0.comparisons = [] }
                for number in 1...600 { try await harness.say("\(number)", in: GatewayHarness.channel, isHeard: false) }
                try await harness.say("1", in: GatewayHarness.dm, isHeard: false)
                try await harness.redis.start()
                let expected = [
                    GatewayHarness.channel: ["before"] + (1...600).map(String.init), RoomID(ChannelID(8)): ["before"],
                    GatewayHarness.dm: ["before", "1"],
                ]
                for (room, client) in clients {
                    try await client.until("what was missed in \(room)") {
                        $0.texts(Namespace.name(of: room)).count >= expected[room]!.count
                    }
                }
                for room in rooms { try await harness.say("after", in: room) }
                for (room, client) in clients {
                    try await client.until("the next in \(room)") { $0.texts(Namespace.name(of: room)).last == "after" }
                    #expect(client.record.texts(Namespace.name(of: room)) == expected[room]! + ["after"])
                }
                // One of two loops that share a busy machine may come too late for the call of the other.
                var outages = 1
                while harness.peers.now.comparisons.map({ Set($0) }) != [Set(rooms.map(\.description))] {
                    try #require(outages < 10, "\(harness.peers.now.comparisons)")
                    outages += 1
                    await harness.redis.kill()
                    harness.peers.change { $0.comparisons = [] }
                    try await harness.redis.start()
                    try await eventually("a comparison") { !harness.peers.now.comparisons.isEmpty }
                    for room in rooms { try await harness.say("outage \(outages)", in: room) }
                    for (room, client) in clients {
                        try await client.until("the next in \(room)") { [outages] in
                            $0.texts(Namespace.name(of: room)).last == "outage \(outages)"
                        }
                    }
                }
            }
        }
    }

    @Test("After an outage of Redis a device gets a badge that changed meanwhile")
    func badge() async throws {
        try await GatewayHarness.use { harness in
            harness.peers.change { $0.badges[1] = 3 }
            try await harness.withNode { node in
                let client = try await harness.device(1, port: node.port)
                try await client.until("the badge of the start") { Self.badges($0) == [3] }
                await harness.redis.kill()
                // Another device reads the room, and the event of it is lost.
                harness.peers.change { $0.badges[1] = 0 }
                try await harness.redis.start()
                try await client.until("the badge") { Self.badges($0) == [3, 0] }
            }
        }
    }

    @Test("A badge in which rooms out of reach are missing is sent, and counted again without an event")
    func partialBadge() async throws {
        try await GatewayHarness.use { harness in
            harness.peers.change { ($0.badges[1], $0.hasPartialBadges) = (2, true) }
            try await harness.withNode { node in
                let client = try await harness.device(1, port: node.port)
                try await client.until("the badge of the other rooms") { Self.badges($0) == [2] }
                harness.peers.change { ($0.badges[1], $0.hasPartialBadges) = (5, false) }
                try await client.until("the whole badge") { Self.badges($0) == [2, 5] }
            }
        }
    }

    private static func badges(_ record: SocketClient.Record) -> [Int?] {
        record.events.filter { $0.name == "badge" }.map { $0.body["unreadCount"]?.int }
    }

    @Test("A device that began before its gateway had reached Redis gets a room that its user has entered since")
    func lateRedis() async throws {
        try await GatewayHarness.use { harness in
            await harness.redis.kill()
            let node = try await harness.startProcess()
            let client = try await harness.device(1, port: node.port)
            harness.peers.change { $0.channels[30] = [1] }
            try await harness.redis.start()
            try await client.until("the new room") { record in
                record.events.contains { $0.name == "joined" && $0.body["room"]?.string == "channel-30" }
            }
            await node.stop()
        }
    }

    @Test("A failed backfill is repeated until chat-service answers")
    func chatAway() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let client = try await harness.listener(1, port: node.port)
                try await harness.say("1", isHeard: false)
                harness.peers.change { $0.isAway = true }
                try await harness.say("2")
                try await eventually("a question") {
                    harness.peers.now.calls.contains("GET /internal/rooms/channel-7/messages")
                }
                harness.peers.change { $0.isAway = false }
                try await client.until("both") { $0.texts("/ws-channel-7") == ["1", "2"] }
            }
        }
    }

    @Test("Messages held during an access check are bounded; the sockets come back and continue where they were")
    func held() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode(["ping_interval": "50s", "ping_timeout": "50s"]) { node in
                let client = try await harness.listener(1, port: node.port)
                await harness.redis.kill()
                harness.peers.change { $0.isHoldingAccess = true }
                let asked = harness.peers.count("/internal/access")
                try await harness.redis.start()
                try await eventually("a question") { harness.peers.count("/internal/access") > asked }
                // The first is said until the room is heard again.
                try await eventually("one who hears") {
                    try await harness.redis.command("PUBSUB", "NUMSUB", "room:channel-7").last != "0"
                }
                for number in 1...4200 where !client.record.isEnded { try await harness.say("\(number)") }
                try await client.until("its end") { $0.isEnded }
                #expect(client.record.texts("/ws-channel-7") == [])
                harness.peers.change { $0.isHoldingAccess = false }
                let next = try await SocketClient.joined("/ws-channel-7", port: node.port, token: harness.token(1))
                let all = harness.peers.now.messages[GatewayHarness.channel]?.map(\.body.content) ?? []
                try await next.until("all of it") { $0.events.count >= all.count }
                #expect(next.record.texts("/ws-channel-7") == all)
            }
        }
    }
}

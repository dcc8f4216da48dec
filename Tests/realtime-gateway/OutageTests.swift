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
        try await GatewayHouse.use { house in
            try await house.withNode { node in
                let rooms = [GatewayHouse.channel, RoomID(ChannelID(8)), GatewayHouse.dm]
                var clients: [(room: RoomID, client: SocketClient)] = []
                for room in rooms {
                    for profile in ["gathering", "native"] {
                        let user: Int64 = profile == "native" ? 2 : 1
                        clients.append(
                            (room, try await house.reader(user, profile, port: node.port, in: room)))
                    }
                }
                for room in rooms { try await house.say("before", in: room) }
                for (room, client) in clients {
                    try await client.until("a message") { $0.texts(Namespace.name(of: room)) == ["before"] }
                }
                await house.redis.kill()
                house.peers.change { $0.comparisons = [] }
                for number in 1...600 { try await house.say("\(number)", in: GatewayHouse.channel, isHeard: false) }
                try await house.say("1", in: GatewayHouse.dm, isHeard: false)
                try await house.redis.start()
                let expected = [
                    GatewayHouse.channel: ["before"] + (1...600).map(String.init), RoomID(ChannelID(8)): ["before"],
                    GatewayHouse.dm: ["before", "1"],
                ]
                for (room, client) in clients {
                    try await client.until("what was missed in \(room)") {
                        $0.texts(Namespace.name(of: room)).count >= expected[room]!.count
                    }
                }
                for room in rooms { try await house.say("after", in: room) }
                for (room, client) in clients {
                    try await client.until("the next in \(room)") { $0.texts(Namespace.name(of: room)).last == "after" }
                    #expect(client.record.texts(Namespace.name(of: room)) == expected[room]! + ["after"])
                }
                // One of two loops that share a busy machine may come too late for the call of the other.
                var outages = 1
                while house.peers.now.comparisons.map({ Set($0) }) != [Set(rooms.map(\.description))] {
                    try #require(outages < 10, "\(house.peers.now.comparisons)")
                    outages += 1
                    await house.redis.kill()
                    house.peers.change { $0.comparisons = [] }
                    try await house.redis.start()
                    try await eventually("a comparison") { !house.peers.now.comparisons.isEmpty }
                    for room in rooms { try await house.say("outage \(outages)", in: room) }
                    for (room, client) in clients {
                        try await client.until("the next in \(room)") { [outages] in
                            $0.texts(Namespace.name(of: room)).last == "outage \(outages)"
                        }
                    }
                }
            }
        }
    }

    @Test("A failed backfill is repeated until chat-service answers")
    func chatAway() async throws {
        try await GatewayHouse.use { house in
            try await house.withNode { node in
                let client = try await house.listener(1, port: node.port)
                try await house.say("1", isHeard: false)
                house.peers.change { $0.isAway = true }
                try await house.say("2")
                try await eventually("a question") {
                    house.peers.now.calls.contains("GET /internal/rooms/channel-7/messages")
                }
                house.peers.change { $0.isAway = false }
                try await client.until("both") { $0.texts("/ws-channel-7") == ["1", "2"] }
            }
        }
    }

    @Test("Messages held during an access check are bounded; the sockets come back and go on where they were")
    func held() async throws {
        try await GatewayHouse.use { house in
            try await house.withNode(["ping_interval": "50s", "ping_timeout": "50s"]) { node in
                let client = try await house.listener(1, port: node.port)
                await house.redis.kill()
                house.peers.change { $0.isHoldingAccess = true }
                let asked = house.peers.count("/internal/access")
                try await house.redis.start()
                try await eventually("a question") { house.peers.count("/internal/access") > asked }
                // The first is said until the room is heard again.
                try await eventually("one who hears") {
                    try await house.redis.command("PUBSUB", "NUMSUB", "room:channel-7").last != "0"
                }
                for number in 1...4200 where !client.record.isEnded { try await house.say("\(number)") }
                try await client.until("its end") { $0.isEnded }
                #expect(client.record.texts("/ws-channel-7") == [])
                house.peers.change { $0.isHoldingAccess = false }
                let next = try await SocketClient.joined("/ws-channel-7", port: node.port, token: house.token(1))
                let all = house.peers.now.messages[GatewayHouse.channel]?.map(\.body.content) ?? []
                try await next.until("all of it") { $0.events.count >= all.count }
                #expect(next.record.texts("/ws-channel-7") == all)
            }
        }
    }
}

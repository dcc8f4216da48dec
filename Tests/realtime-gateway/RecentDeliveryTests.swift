import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Recent deliveries", .serialized)
struct RecentDeliveryTests {
    private static let room = RoomID(ChannelID(8))

    private static func shown(_ seq: Int, on node: ServiceUnderTest) async throws -> JSONValue {
        try await node.operatorCall("GET", "/operator/deliveries/channel-8/\(seq)").json
    }

    @Test("An operator sees how many sockets of an instance a message was sent to")
    func counted() async throws {
        try await GatewayHarness.use { harness in
            harness.peers.change { $0.channels[8] = [1, 2, 60] }
            try await harness.withNode { node in
                var readers: [SocketClient] = []
                for user: Int64 in [1, 2] {
                    readers.append(try await harness.listener(user, port: node.port, in: Self.room))
                }
                // Those that are not live yet are sent a message apart, and after it they are live.
                try await harness.say("live", in: Self.room)
                for reader in readers {
                    try await reader.until("a message") { $0.texts(Namespace.name(of: Self.room)) == ["live"] }
                }
                try await harness.say("안녕", in: Self.room)
                try await eventually("the delivery") { try await Self.shown(2, on: node)["sockets"]?.int == 2 }
                #expect(try await Self.shown(2, on: node)["deliveredAt"]?.string != nil)
                let other = try await Self.shown(3, on: node)
                #expect(other["deliveredAt"] == nil && other["sockets"]?.int == 0)
                #expect(try await node.operatorCall("GET", "/operator/deliveries/8/1").status == 404)
                #expect(readers.allSatisfy { !$0.record.isEnded })
            }
        }
    }

    @Test("The oldest delivery makes place for a new one, and the moment from which all are known moves on")
    func bounded() throws {
        let recent = RecentDeliveries(since: Timestamp(milliseconds: 5))
        for seq in 1...Int64(RecentDeliveries.capacity) + 2 {
            recent.note(room: Self.room, seq: seq, sockets: 1, at: Timestamp(milliseconds: 10 + seq))
        }
        #expect(recent.find(2, in: Self.room) == nil)
        #expect(recent.find(3, in: Self.room)?.sockets == 1)
        #expect(recent.find(3, in: RoomID(DMID(8))) == nil)
        #expect(recent.since == Timestamp(milliseconds: 12))
    }
}

import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Pushes that wait", .serialized)
struct PushWaitingTests {
    private static let room = RoomID(ChannelID(8))

    @Test("A push that the provider refused for now is sent only if it is still wanted, as the message is by then")
    func waiting() async throws {
        try await GatewayHarness.use { harness in
            let folder = TemporaryFolder("maru-push")
            harness.peers.change { state in
                state.channels[8] = [1, 2, 3, 60]
                state.devices = [1: ["d1"], 2: ["d2"], 3: ["d3"]]
                state.deviceProfiles = ["d3": "native"]
                state.badges = [3: 1]
                state.refusals = GatewayHarness.hourLater
            }
            try await harness.withNode(try harness.pushSettings(folder)) { node in
                let first = try await harness.push("a typo", in: Self.room)
                try await harness.refusedForNow(count: 3)
                harness.peers.change { state in
                    let body = first.body
                    state.messages[Self.room] = [
                        RoomMessage(
                            room: first.room, workspace: first.workspace, name: first.name,
                            body: MessageBody(
                                id: body.id, seq: body.seq, content: "no typo", createdAt: body.createdAt, files: [],
                                author: body.author),
                            session: first.session)
                    ]
                    state.pushReasons = [1: "muted", 2: "deleted"]
                    state.badges = [3: 9]
                    state.refusals = []
                }
                try await harness.endWaits()
                try await harness.settled(count: 3)
                let record = try await node.internalCall("GET", "/internal/pushes/channel-8/1")
                let pushes = try record.json["pushes"]?.elements.map(Array.init) ?? []
                #expect(
                    pushes.map { $0["outcome"]?.string } == ["withdrawn: muted", "withdrawn: deleted", "sent"])
                let sent = harness.peers.now.pushes
                // A push without an answer is sent again.
                #expect(Set(sent.map(\.device)) == ["d3"])
                #expect(sent.first?.message["notification"]?["body"]?.string == "no typo")
                #expect(sent.first?.message["data"]?["badge"]?.string == "9")
            }
        }
    }

    /// The SQL of the time so many hours ago.
    private static func hoursAgo(_ hours: String) -> String {
        "(extract(epoch from now()) * 1000)::bigint - 3600000 * \(hours)"
    }

    @Test("A push of a message of yesterday is not sent, also if no gateway has sent pushes meanwhile")
    func old() async throws {
        try await GatewayHarness.use { harness in
            let folder = TemporaryFolder("maru-push")
            harness.give()
            // Makes the tables.
            try await harness.withNode(try harness.pushSettings(folder)) { _ in }
            _ = try await harness.ask(
                """
                insert into realtime.push (kind, room, seq, device, user_id, body, due_at, created_at)
                select 1, 8, age, 'd1', 1, '{"title":"n60","text":"hour ' || age || '","data":{},"collapse":"late"}',
                    \(Self.hoursAgo("0")), \(Self.hoursAgo("age"))
                from unnest('{1,25}'::bigint[]) as age
                """)
            try await harness.withNode(try harness.pushSettings(folder)) { _ in
                try await harness.settled(count: 2)
                let outcomes = try await harness.ask("select string_agg(outcome, ', ' order by seq) from realtime.push")
                #expect(outcomes == "sent, failed")
                // A push without an answer is sent again.
                let texts = harness.peers.now.pushes.map { $0.message["notification"]?["body"]?.string }
                #expect(Set(texts) == ["hour 1"])
            }
        }
    }

    @Test("While push is off, waiting pushes are deleted with their texts after a week")
    func off() async throws {
        try await GatewayHarness.use { harness in
            // Makes the tables.
            try await harness.withNode { _ in }
            _ = try await harness.ask(
                """
                insert into realtime.push (kind, room, seq, device, user_id, body, due_at, created_at)
                select 1, 8, days, 'd1', 1, 'text', \(Self.hoursAgo("24 * days")), \(Self.hoursAgo("24 * days"))
                from unnest('{6,8}'::bigint[]) as days
                """)
            try await harness.withNode { _ in
                try await eventually("the deletion of the older one") {
                    try await harness.ask("select string_agg(seq::text, ',') from realtime.push") == "6"
                }
            }
        }
    }

    @Test("A push that waited goes neither to former members of the room nor to a device that changed its user")
    func lostAccess() async throws {
        try await GatewayHarness.use { harness in
            let folder = TemporaryFolder("maru-push")
            let dm = RoomID(DMID(5))
            harness.peers.change { state in
                state.channels[8] = [1, 2, 3, 60]
                state.dms[5] = (users: [60, 4], isOpen: true)
                state.devices = [1: ["d1"], 2: ["d2"], 3: ["d3"], 4: ["d4"]]
                state.refusals = GatewayHarness.hourLater
            }
            try await harness.withNode(try harness.pushSettings(folder)) { node in
                try await harness.push("to some", in: Self.room)
                try await harness.push("to one", in: dm)
                try await harness.refusedForNow(count: 4)
                harness.peers.change { state in
                    state.channels[8] = [2, 3, 5, 60]
                    state.dms[5]?.isOpen = false
                    state.devices = [1: ["d1"], 3: ["d3"], 5: ["d2"], 4: ["d4"]]
                    state.refusals = []
                }
                try await harness.endWaits()
                try await harness.settled(count: 4)
                let outcomes = try await harness.ask(
                    "select string_agg(outcome, ', ' order by device) from realtime.push")
                #expect(outcomes == "withdrawn: left, withdrawn: no_device, sent, withdrawn: left")
                #expect(Set(harness.peers.now.pushes.map(\.device)) == ["d3"])
            }
        }
    }
}

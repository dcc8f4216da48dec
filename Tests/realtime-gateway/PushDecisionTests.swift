import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Decisions about pushes", .serialized)
struct PushDecisionTests {
    private static let room = RoomID(ChannelID(8))

    /// The record of a message as operators see it: the reason of each user, and the outcomes of the pushes.
    private static func record(
        _ node: ServiceUnderTest, seq: Int64
    ) async throws -> (reasons: [String: String], outcomes: [String]) {
        let reply = try await node.internalCall("GET", "/internal/pushes/channel-8/\(seq)")
        let users = try reply.json["users"]?.elements.map(Array.init) ?? []
        let pushes = try reply.json["pushes"]?.elements.map(Array.init) ?? []
        return (
            Dictionary(users.map { ($0["user_id"]?.string ?? "", $0["reason"]?.string ?? "") }) { _, last in last },
            pushes.map { "\($0["user_id"]?.string ?? ""):\($0["outcome"]?.string ?? "")" }
        )
    }

    @Test("Each member has a recorded reason for a push or for none, and native devices get room, seq and badge")
    func reasons() async throws {
        try await GatewayHarness.use { harness in
            let folder = TemporaryFolder("maru-push")
            harness.peers.change { state in
                state.channels[8] = [1, 2, 3, 4, 5, 60]
                state.devices = [1: ["d1"], 2: ["d2", "d2n"], 3: ["d3"], 4: ["d4"], 60: ["d60"]]
                state.deviceProfiles = ["d2": "gathering", "d2n": "native", "d3": "native", "d4": "native"]
                state.pushReasons = [3: "do_not_disturb", 4: "mention"]
                state.badges = [2: 5, 4: 12]
            }
            try await harness.withNode(try harness.pushSettings(folder)) { node in
                let reader = try await harness.listener(1, port: node.port, in: Self.room)
                try await eventually("presence") {
                    try await harness.redis.command("ZRANGE", "presence:channel-8", "0", "-1").contains { !$0.isEmpty }
                }
                try await harness.push("안녕", in: Self.room)
                try await harness.settled(count: 3)
                let record = try await Self.record(node, seq: 1)
                #expect(
                    record.reasons == [
                        "1": "present", "2": "all", "3": "do_not_disturb", "4": "mention", "5": "no_device",
                    ])
                #expect(record.outcomes == ["2:sent", "2:sent", "4:sent"])
                let pushes = harness.peers.now.pushes
                func sent(_ device: String) -> JSONValue? { pushes.first { $0.device == device }?.message }
                #expect(sent("d2")?["data"]?["badge"] == nil)
                #expect(sent("d2n")?["data"]?["badge"]?.string == "5")
                #expect(sent("d2n")?["data"]?["room"]?.string == "channel-8")
                #expect(sent("d4")?["apns"]?["payload"]?["aps"]?["badge"]?.int == 12)
                #expect(!reader.record.isEnded)
            }
        }
    }

    @Test("One call decides for all members of a page, and a repeated job keeps the first decisions")
    func batches() async throws {
        try await GatewayHarness.use { harness in
            let folder = TemporaryFolder("maru-push")
            harness.peers.change { state in
                state.channels[8] = Set(1...60)
                state.devices = Dictionary(uniqueKeysWithValues: (1...60).map { ($0, ["d\($0)"]) })
                state.pushReasons = [7: "muted"]
            }
            try await harness.withNode(try harness.pushSettings(folder)) { node in
                let message = try await harness.push("1", in: Self.room)
                try await harness.settled(count: 58)
                // A call without an answer in time is sent again.
                #expect((1...2).contains(harness.peers.count("/internal/pushes/decisions")))
                harness.peers.change { $0.pushReasons = [:] }
                // As if the job had ended before its last write.
                _ = try await harness.ask("delete from realtime.push_job")
                try await harness.tell(message)
                try await harness.taken()
                #expect(try await Self.record(node, seq: 1).reasons["7"] == "muted")
                try await harness.settled(count: 58)
            }
        }
    }

    @Test("A message that was too old to be pushed says so, and an unknown one is not found")
    func expired() async throws {
        try await GatewayHarness.use { harness in
            let folder = TemporaryFolder("maru-push")
            harness.give()
            try await harness.withNode(try harness.pushSettings(folder, ["push_age": "1s"])) { node in
                let message = harness.peers.change { $0.write("1", in: Self.room, by: 60, session: 1060) }
                let body = message.body
                try await harness.tell(
                    RoomMessage(
                        room: message.room, workspace: message.workspace, name: message.name,
                        body: MessageBody(
                            id: body.id, seq: body.seq, content: body.content, createdAt: .now - .seconds(60),
                            files: [], author: body.author),
                        session: message.session))
                try await harness.taken()
                #expect(try await Self.record(node, seq: 1).reasons == ["0": "expired"])
                for path in ["channel-8/2", "channel-9/1", "x/1", "channel-8/x", "channel-8/0"] {
                    let reply = try await node.internalCall("GET", "/internal/pushes/\(path)")
                    #expect(reply.status == 404, "\(path)")
                }
            }
        }
    }

    @Test("While push is off, a message says so and shows the decisions of the time before")
    func off() async throws {
        try await GatewayHarness.use { harness in
            let folder = TemporaryFolder("maru-push")
            harness.give()
            try await harness.withNode(try harness.pushSettings(folder)) { node in
                try await harness.push("1", in: Self.room)
                try await harness.taken()
                let reply = try await node.operatorCall("GET", "/operator/pushes/channel-8/1")
                #expect(try reply.json["push"]?.string == "on")
                #expect(try await node.operatorCall("GET", "/operator/pushes/channel-8/2").status == 404)
            }
            try await harness.withNode { node in
                let before = try await node.operatorCall("GET", "/operator/pushes/channel-8/1").json
                #expect(before["push"]?.string == "off" && before["users"]?[0]?["reason"] != nil)
                let never = try await node.operatorCall("GET", "/operator/pushes/channel-8/2")
                #expect(try never.status == 200 && never.json["push"]?.string == "off")
                #expect(try never.json["users"]?[0] == nil && never.json["decidedAt"] == nil)
                #expect(try await node.operatorCall("GET", "/operator/pushes/x/1").status == 404)
            }
        }
    }

    @Test("Decisions are deleted after push_decision_memory")
    func forgetting() async throws {
        try await GatewayHarness.use { harness in
            let folder = TemporaryFolder("maru-push")
            harness.give()
            try await harness.withNode(try harness.pushSettings(folder)) { _ in }
            _ = try await harness.ask(
                """
                insert into realtime.push_decision
                select 1, 9, n, 0, (extract(epoch from now()) * 1000)::bigint - n * 600000, '{1}', '{all}'
                from generate_series(1, 20) n
                """)
            // The tenth is young enough for five minutes more, in which the node starts.
            try await harness.withNode(try harness.pushSettings(folder, ["push_decision_memory": "6300s"])) { _ in
                try await eventually("only younger ones") {
                    try await harness.ask("select count(*), max(seq) from realtime.push_decision") == "10|10"
                }
            }
        }
    }
}

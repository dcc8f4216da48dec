import Contract
import Crypto
import Glibc
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Pushes to devices", .serialized)
struct PushDeliveryTests {
    private static let room = RoomID(ChannelID(8))

    /// The settings of a node that sends pushes to the stub.
    private static func settings(_ house: GatewayHouse, _ folder: TemporaryFolder) throws -> [String: String] {
        let account = JSONWriter.bytes { json in
            json.object { json in
                json.field("project_id", "maru")
                json.field("client_email", "push@maru.example")
                json.field("private_key", SigningKey.generate().pem)
            }
        }
        let path = folder.path + "/account.json"
        try String(decoding: account, as: UTF8.self).write(toFile: path)
        return [
            "fcm_url": house.peers.url, "fcm_token_url": house.peers.url + "/token", "fcm_service_account": path,
            "push_lease": "2s",
        ]
    }

    /// Puts a message of the room on the stream of pushes, as chat-service does.
    private static func tell(_ house: GatewayHouse, _ message: RoomMessage) async throws {
        let body = String(decoding: RoomEvent.message(message).encoded(), as: UTF8.self)
        try await house.redis.command(
            "XADD", "push", "*", "id", "\(message.room):\(message.body.seq)", "body", body)
    }

    /// Waits until the table holds no push that is not done.
    private static func settled(_ house: GatewayHouse, count: Int) async throws {
        try await eventually(within: .seconds(60), "the end of \(count) pushes") {
            try await house.ask("select count(*), count(done_at) from realtime.push") == "\(count)|\(count)"
        }
    }

    /// Waits until every job on the stream has been taken to its end.
    private static func taken(_ house: GatewayHouse) async throws {
        try await eventually("all jobs' ends") {
            let group = try await house.redis.command("XINFO", "GROUPS", "push")
            func count(_ name: String) -> String? { group.firstIndex(of: name).map { group[$0 + 1] } }
            return count("lag") == "0" && count("pending") == "0"
        }
    }

    @Test(
        "A message goes once to every device of those who are away, however often its job is told, and never to its author"
    )
    func recipients() async throws {
        try await GatewayHouse.use { house in
            let folder = TemporaryFolder("maru-push")
            let settings = try Self.settings(house, folder)
            house.peers.change { state in
                state.channels[8] = [1, 2, 3, 60]
                state.devices = [1: ["d1"], 2: ["d2a", "d2b"], 3: ["d3"], 4: ["d4"], 60: ["d60"]]
            }
            try await house.withNode { other in
                // Here on another node.
                let reader = try await house.listener(3, port: other.port, in: Self.room)
                try await house.withNode(settings) { node in
                    let message = house.peers.change { $0.write("안녕하세요", in: Self.room, by: 60, session: 1060) }
                    for _ in 0..<3 { try await Self.tell(house, message) }
                    try await Self.settled(house, count: 3)
                    try await Self.taken(house)
                    // What a job that was told again had left over would go out with the next message.
                    let last = house.peers.change { $0.write("끝", in: Self.room, by: 60, session: 1060) }
                    try await Self.tell(house, last)
                    try await Self.settled(house, count: 6)
                    let pushes = house.peers.now.pushes
                    #expect(pushes.map(\.device).sorted() == ["d1", "d1", "d2a", "d2a", "d2b", "d2b"])
                    let first = try #require(pushes.first)
                    #expect(first.message["notification"]?["title"]?.string == "n60")
                    #expect(first.message["notification"]?["body"]?.string == "안녕하세요")
                    #expect(first.message["data"]?["channel_id"]?.string == "8")
                    // What is sent again replaces what is shown, on both systems.
                    #expect(first.message["android"]?["notification"]?["tag"]?.string == "channel-8:1")
                    #expect(first.message["apns"]?["headers"]?["apns-collapse-id"]?.string == "channel-8:1")
                    #expect(first.message["android"]?["collapse_key"]?.string == "channel-8:1")
                    #expect(!reader.record.isEnded)
                    _ = node
                }
            }
        }
    }

    @Test("A DM goes to the other one alone, and to nobody once one of the two has left")
    func dm() async throws {
        try await GatewayHouse.use { house in
            let folder = TemporaryFolder("maru-push")
            house.peers.change { $0.devices = [1: ["d1"], 2: ["d2"], 3: ["d3"]] }
            try await house.withNode(try Self.settings(house, folder)) { _ in
                let message = house.peers.change { $0.write("둘만", in: GatewayHouse.dm, by: 1, session: 1001) }
                try await Self.tell(house, message)
                try await Self.settled(house, count: 1)
                house.peers.change { $0.dms[5]?.isOpen = false }
                let late = house.peers.change { $0.write("?", in: GatewayHouse.dm, by: 1, session: 1001) }
                try await Self.tell(house, late)
                // What comes behind it on the stream has an end: so has this.
                let last = house.peers.change { state -> RoomMessage in
                    state.channels[8] = [3, 60]
                    return state.write("끝", in: Self.room, by: 60, session: 1060)
                }
                try await Self.tell(house, last)
                try await Self.taken(house)
                try await Self.settled(house, count: 2)
                let pushes = house.peers.now.pushes
                #expect(pushes.map(\.device).sorted() == ["d2", "d3"])
                let first = pushes.first { $0.device == "d2" }
                #expect(first?.message["data"]?["opponent_id"]?.string == "1")
            }
        }
    }

    @Test("What the provider refuses for now is sent again, not before it says; a dead token is forgotten")
    func refusals() async throws {
        try await GatewayHouse.use { house in
            let folder = TemporaryFolder("maru-push")
            house.peers.change { state in
                state.channels[8] = [1, 60]
                state.devices = [1: ["d1"]]
                state.refusals = [(503, "UNAVAILABLE", "2"), (500, "INTERNAL", nil)]
            }
            try await house.withNode(try Self.settings(house, folder)) { node in
                let began = ContinuousClock.now
                let message = house.peers.change { $0.write("1", in: Self.room, by: 60, session: 1060) }
                try await Self.tell(house, message)
                try await Self.settled(house, count: 1)
                #expect(house.peers.now.pushes.map(\.device) == ["d1"])
                // Two seconds as the provider wants, then one after its other failure, each with jitter on top.
                #expect(ContinuousClock.now - began >= .seconds(3))
                house.peers.change { $0.refusals = [(404, "UNREGISTERED", nil)] }
                let next = house.peers.change { $0.write("2", in: Self.room, by: 60, session: 1060) }
                try await Self.tell(house, next)
                try await Self.settled(house, count: 2)
                #expect(house.peers.now.pruned == ["d1"])
                #expect(house.peers.now.pushes.count == 1)
                // It is counted behind its end in the table.
                try await eventually("a count of the dead token") {
                    try await node.metrics().contains(#"maru_pushes_total{outcome="dead token"} 1"#)
                }
                let page = try await node.metrics()
                #expect(page.contains(#"maru_pushes_total{outcome="sent"} 1"#))
                #expect(page.contains(#"maru_pushes_total{outcome="retried"} 2"#))
                #expect(page.contains("maru_push_lag_seconds_count 1"))
            }
        }
    }

    @Test("A push waits until the date that the provider names")
    func date() async throws {
        try await GatewayHouse.use { house in
            let folder = TemporaryFolder("maru-push")
            let date = Timestamp(seconds: Timestamp.now.seconds + 5)
            var text = ByteWriter()
            text.append(httpDate: date)
            let named = String(decoding: text.bytes, as: UTF8.self)
            house.peers.change { state in
                state.channels[8] = [1, 60]
                state.devices = [1: ["d1"]]
                state.refusals = [(503, "UNAVAILABLE", named)]
            }
            try await house.withNode(try Self.settings(house, folder)) { _ in
                let message = house.peers.change { $0.write("1", in: Self.room, by: 60, session: 1060) }
                try await Self.tell(house, message)
                try await Self.settled(house, count: 1)
                #expect(house.peers.now.pushes.count == 1)
                #expect(Timestamp.now >= date)
            }
        }
    }

    @Test("Jobs and pushes survive the death of the gateway; what is sent again carries the same name")
    func crash() async throws {
        try await GatewayHouse.use { house in
            let folder = TemporaryFolder("maru-push")
            let settings = try Self.settings(house, folder)
            house.peers.change { state in
                state.channels[8] = [1, 2, 60]
                state.devices = [1: ["d1"], 2: ["d2"]]
            }
            let first = try await house.startProcess(settings)
            for number in 1...100 {
                let message = house.peers.change { $0.write("\(number)", in: Self.room, by: 60, session: 1060) }
                try await Self.tell(house, message)
                if number == 50 {
                    try await eventually("the first pushes") {
                        house.peers.now.pushes.count >= 10
                    }
                    await first.process.stop(SIGKILL)
                }
            }
            let second = try await house.startProcess(settings, port: first.port)
            try await Self.settled(house, count: 200)
            let pushes = house.peers.now.pushes
            for device in ["d1", "d2"] {
                let names = pushes.filter { $0.device == device }.compactMap {
                    $0.message["apns"]?["headers"]?["apns-collapse-id"]?.string
                }
                #expect(Set(names) == Set((1...100).map { "channel-8:\($0)" }))
            }
            // Only what was under way when it died was sent again.
            #expect(pushes.count <= 200 + 32)
            await second.process.stop()
        }
    }
}

extension String {
    fileprivate func write(toFile path: String) throws {
        guard let file = fopen(path, "we") else { throw NeverHappened(description: "cannot write \(path)") }
        defer { fclose(file) }
        fputs(self, file)
    }
}

import Contract
import Glibc
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Pushes to devices", .serialized)
struct PushDeliveryTests {
    private static let room = RoomID(ChannelID(8))

    @Test(
        "A message goes once to every device of absent members, even if its job is redelivered, and never to its author"
    )
    func recipients() async throws {
        try await GatewayHarness.use { harness in
            let folder = TemporaryFolder("maru-push")
            let settings = try harness.pushSettings(folder)
            harness.peers.change { state in
                state.channels[8] = [1, 2, 3, 60]
                state.devices = [1: ["d1"], 2: ["d2a", "d2b"], 3: ["d3"], 4: ["d4"], 60: ["d60"]]
            }
            try await harness.withNode { other in
                // Here on another node.
                let reader = try await harness.listener(3, port: other.port, in: Self.room)
                try await harness.withNode(settings) { node in
                    let message = harness.peers.change { $0.write("안녕하세요", in: Self.room, by: 60, session: 1060) }
                    for _ in 0..<3 { try await harness.tell(message) }
                    try await harness.settled(count: 3)
                    try await harness.taken()
                    // A push left over from a redelivered job would go out with the next message.
                    let last = harness.peers.change { $0.write("끝", in: Self.room, by: 60, session: 1060) }
                    try await harness.tell(last)
                    try await harness.settled(count: 6)
                    let pushes = harness.peers.now.pushes
                    #expect(pushes.map(\.device).sorted() == ["d1", "d1", "d2a", "d2a", "d2b", "d2b"])
                    let first = try #require(pushes.first)
                    #expect(first.message["notification"]?["title"]?.string == "n60")
                    #expect(first.message["notification"]?["body"]?.string == "안녕하세요")
                    #expect(first.message["data"]?["channel_id"]?.string == "8")
                    // A repeated push replaces the shown one, on both systems.
                    #expect(first.message["android"]?["notification"]?["tag"]?.string == "channel-8:1")
                    #expect(first.message["apns"]?["headers"]?["apns-collapse-id"]?.string == "channel-8:1")
                    #expect(first.message["android"]?["collapse_key"]?.string == "channel-8:1")
                    #expect(!reader.record.isEnded)
                    _ = node
                }
            }
        }
    }

    @Test("A DM is pushed to the other member only, and not at all after one has left")
    func dm() async throws {
        try await GatewayHarness.use { harness in
            let folder = TemporaryFolder("maru-push")
            harness.peers.change { $0.devices = [1: ["d1"], 2: ["d2"], 3: ["d3"]] }
            try await harness.withNode(try harness.pushSettings(folder)) { _ in
                let message = harness.peers.change { $0.write("둘만", in: GatewayHarness.dm, by: 1, session: 1001) }
                try await harness.tell(message)
                try await harness.settled(count: 1)
                harness.peers.change { $0.dms[5]?.isOpen = false }
                let late = harness.peers.change { $0.write("?", in: GatewayHarness.dm, by: 1, session: 1001) }
                try await harness.tell(late)
                // A later job on the stream is finished, so this one is as well.
                let last = harness.peers.change { state -> RoomMessage in
                    state.channels[8] = [3, 60]
                    return state.write("끝", in: Self.room, by: 60, session: 1060)
                }
                try await harness.tell(last)
                try await harness.taken()
                try await harness.settled(count: 2)
                let pushes = harness.peers.now.pushes
                #expect(pushes.map(\.device).sorted() == ["d2", "d3"])
                let first = pushes.first { $0.device == "d2" }
                #expect(first?.message["data"]?["opponent_id"]?.string == "1")
            }
        }
    }

    @Test("A push is retried after Retry-After; a dead token is deleted")
    func refusals() async throws {
        try await GatewayHarness.use { harness in
            let folder = TemporaryFolder("maru-push")
            harness.give()
            harness.peers.change { $0.refusals = [(503, "UNAVAILABLE", "2"), (500, "INTERNAL", nil)] }
            try await harness.withNode(try harness.pushSettings(folder)) { node in
                let began = ContinuousClock.now
                try await harness.push("1", in: Self.room)
                try await harness.settled(count: 1)
                #expect(harness.peers.now.pushes.map(\.device) == ["d1"])
                // Two seconds as the provider wants, then one after its other failure, each with jitter on top.
                #expect(ContinuousClock.now - began >= .seconds(3))
                harness.peers.change { $0.refusals = [(404, "UNREGISTERED", nil)] }
                try await harness.push("2", in: Self.room)
                try await harness.settled(count: 2)
                #expect(harness.peers.now.pruned == ["d1"])
                #expect(harness.peers.now.pushes.count == 1)
                // It is counted after its end in the table.
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
        try await GatewayHarness.use { harness in
            let folder = TemporaryFolder("maru-push")
            let date = Timestamp(seconds: Timestamp.now.seconds + 5)
            var text = ByteWriter()
            text.append(httpDate: date)
            let named = String(decoding: text.bytes, as: UTF8.self)
            harness.give()
            harness.peers.change { $0.refusals = [(503, "UNAVAILABLE", named)] }
            try await harness.withNode(try harness.pushSettings(folder)) { _ in
                try await harness.push("1", in: Self.room)
                try await harness.settled(count: 1)
                #expect(harness.peers.now.pushes.count == 1)
                #expect(Timestamp.now >= date)
            }
        }
    }

    @Test("Jobs and pushes survive the death of the gateway; a repeated push carries the same name")
    func crash() async throws {
        try await GatewayHarness.use { harness in
            let folder = TemporaryFolder("maru-push")
            let settings = try harness.pushSettings(folder, ["push_lease": "5s"])
            harness.peers.change { state in
                state.channels[8] = [1, 2, 60]
                state.devices = [1: ["d1"], 2: ["d2"]]
            }
            let first = try await harness.startProcess(settings)
            var repeatedBefore = 0
            for number in 1...100 {
                let message = harness.peers.change { $0.write("\(number)", in: Self.room, by: 60, session: 1060) }
                try await harness.tell(message)
                if number == 50 {
                    try await eventually("the first pushes") {
                        harness.peers.now.pushes.count >= 10
                    }
                    await first.process.stop(SIGKILL)
                    // Its leases are short: it may have sent pushes again itself, if it stood still.
                    let early = harness.peers.now.pushes.map { "\($0.device) \(Self.name($0.message) ?? "")" }
                    repeatedBefore = early.count - Set(early).count
                }
            }
            // Its own leases last longer than the machine stands still.
            let patient = settings.merging(["push_lease": "120s"]) { $1 }
            let second = try await harness.startProcess(patient, port: first.port)
            try await harness.settled(count: 200)
            let pushes = harness.peers.now.pushes
            for device in ["d1", "d2"] {
                let names = pushes.filter { $0.device == device }.compactMap { Self.name($0.message) }
                #expect(Set(names) == Set((1...100).map { "channel-8:\($0)" }))
            }
            // Only pushes that were under way when it died were repeated.
            #expect(pushes.count - repeatedBefore <= 200 + 32)
            await second.process.stop()
        }
    }

    /// The name by which a device knows a push again.
    private static func name(_ message: JSONValue) -> String? {
        message["apns"]?["headers"]?["apns-collapse-id"]?.string
    }
}

import Contract
import Glibc
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Many pushes at a time", .serialized)
struct PushSendingTests {
    private static let room = RoomID(ChannelID(8))

    /// A harness in which 1 has so many devices, called `d1` and so on, and leases last longer than any test.
    private static func use(
        devices count: Int, _ body: (GatewayHarness, [String: String]) async throws -> Void
    ) async throws {
        try await GatewayHarness.use { harness in
            let folder = TemporaryFolder("maru-push")
            harness.give(devices: count)
            try await body(harness, try harness.pushSettings(folder, ["push_lease": "600s"]))
        }
    }

    private static func devices(_ harness: GatewayHarness) -> [String] { harness.peers.now.pushes.map(\.device) }

    @Test("A device with a slow answer delays no other")
    func slow() async throws {
        try await Self.use(devices: 100) { harness, settings in
            harness.peers.change { $0.heldDevices = ["d1", "d2"] }
            try await harness.withNode(settings) { _ in
                try await harness.push("1", in: Self.room)
                try await eventually("the end of the others") {
                    try await harness.ask("select count(done_at) from realtime.push") == "98"
                }
                // The two may have been given up and tried again.
                #expect(Set(Self.devices(harness)).count == 100)
                harness.peers.change { $0.heldDevices = [] }
                try await harness.settled(count: 100)
            }
        }
    }

    @Test("A push without an answer within the time limit of the provider is given up, and sent again later")
    func noAnswer() async throws {
        try await Self.use(devices: 1) { harness, settings in
            harness.peers.change { $0.heldDevices = ["d1"] }
            try await harness.withNode(settings.merging(["provider_deadline": "500ms"]) { $1 }) { node in
                try await harness.push("1", in: Self.room)
                // Other attempts follow one that a machine which stands still has made longer.
                let short = #"maru_provider_seconds_bucket{provider="fcm",outcome="unreachable",le="5.0"} "#
                try await eventually(within: .seconds(60), "the end of an attempt") {
                    try await node.metrics().split(separator: "\n")
                        .contains { $0.hasPrefix(short) && !$0.hasSuffix(" 0") }
                }
                harness.peers.change { $0.heldDevices = [] }
                try await harness.settled(count: 1)
            }
        }
    }

    @Test("A result that cannot be written holds up no other push")
    func databaseError() async throws {
        try await Self.use(devices: 100) { harness, settings in
            try await harness.withNode(settings) { _ in
                _ = try await harness.ask(
                    """
                    create function realtime.refuse() returns trigger language plpgsql as
                    'begin if new.done_at is not null and new.device = ''d50'' then raise ''no''; end if; return new; end';
                    create trigger refuse before update on realtime.push for each row execute function realtime.refuse()
                    """)
                try await harness.push("1", in: Self.room)
                try await eventually("the end of the others") {
                    try await harness.ask("select count(done_at) from realtime.push") == "99"
                }
                #expect(Set(Self.devices(harness)).count == 100 && Self.devices(harness).count == 100)
            }
        }
    }

    @Test("A draining gateway finishes pushes under way; the next instance sends the others at once")
    func ending() async throws {
        // Far more than pass between the first and the end, however slowly that comes.
        let count = 320
        try await Self.use(devices: count) { harness, settings in
            harness.peers.change { $0.pushTakes = .milliseconds(300) }
            let first = try await harness.startProcess(settings)
            try await harness.push("1", in: Self.room)
            try await eventually("the first pushes") { Self.devices(harness).count >= 20 }
            await first.process.stop(SIGTERM)
            let sent = Self.devices(harness).count
            #expect(sent < count)
            #expect(try await harness.ask("select count(done_at) from realtime.push") == "\(sent)")
            harness.peers.change { $0.pushTakes = .zero }
            let second = try await harness.startProcess(settings, port: first.port)
            try await harness.settled(count: count)
            #expect(Set(Self.devices(harness)).count == count && Self.devices(harness).count == count)
            await second.process.stop()
        }
    }

    @Test("All waiting pushes share one request for an access token")
    func accessToken() async throws {
        try await Self.use(devices: 60) { harness, settings in
            harness.peers.change { $0.tokenTakes = .milliseconds(300) }
            try await harness.withNode(settings) { _ in
                try await harness.push("1", in: Self.room)
                try await harness.settled(count: 60)
                #expect(harness.peers.count("/token") == 1)
            }
        }
    }

    @Test("All devices of a page of members are read in one call")
    func bulk() async throws {
        try await GatewayHarness.use { harness in
            let folder = TemporaryFolder("maru-push")
            harness.peers.change { state in
                state.channels[8] = Set(1...60)
                state.devices = Dictionary(uniqueKeysWithValues: (Int64(1)...60).map { ($0, ["d\($0)"]) })
            }
            try await harness.withNode(try harness.pushSettings(folder)) { _ in
                try await harness.push("1", in: Self.room)
                try await harness.settled(count: 59)
                // A call without an answer in time is sent again.
                #expect((1...2).contains(harness.peers.count("/internal/devices")))
            }
        }
    }

    @Test("A key file of another project costs no devices; once a push has passed, a device of another project goes")
    func otherProject() async throws {
        try await Self.use(devices: 1) { harness, settings in
            let mismatch: (UInt16, String, String?) = (403, "SENDER_ID_MISMATCH", nil)
            harness.peers.change { $0.refusals = [mismatch] }
            try await harness.withNode(settings) { _ in
                try await harness.push("1", in: Self.room)
                try await harness.settled(count: 1)
                #expect(harness.peers.now.pruned.isEmpty)
                try await harness.push("2", in: Self.room)
                try await harness.settled(count: 2)
                harness.peers.change { $0.refusals = [mismatch] }
                try await harness.push("3", in: Self.room)
                try await harness.settled(count: 3)
                #expect(harness.peers.now.pruned == ["d1"])
            }
        }
    }
}

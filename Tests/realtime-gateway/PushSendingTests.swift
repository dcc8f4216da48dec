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

    /// A house in which 1 has so many devices, called `d1` and so on, and leases last longer than any test.
    private static func use(
        devices count: Int, _ body: (GatewayHouse, [String: String]) async throws -> Void
    ) async throws {
        try await GatewayHouse.use { house in
            let folder = TemporaryFolder("maru-push")
            house.give(devices: count)
            try await body(house, try house.pushSettings(folder, ["push_lease": "600s"]))
        }
    }

    private static func devices(_ house: GatewayHouse) -> [String] { house.peers.now.pushes.map(\.device) }

    @Test("A device whose answer takes long holds up no other")
    func slow() async throws {
        try await Self.use(devices: 100) { house, settings in
            house.peers.change { $0.heldDevices = ["d1", "d2"] }
            try await house.withNode(settings) { _ in
                try await house.push("1", in: Self.room)
                try await eventually("the end of the others") {
                    try await house.ask("select count(done_at) from realtime.push") == "98"
                }
                // Before the two have been given up and tried again.
                #expect(Self.devices(house).count == 100)
                house.peers.change { $0.heldDevices = [] }
                try await house.settled(count: 100)
            }
        }
    }

    @Test("A result that cannot be written holds up no other push")
    func databaseError() async throws {
        try await Self.use(devices: 100) { house, settings in
            try await house.withNode(settings) { _ in
                _ = try await house.ask(
                    """
                    create function realtime.refuse() returns trigger language plpgsql as
                    'begin if new.done_at is not null and new.device = ''d50'' then raise ''no''; end if; return new; end';
                    create trigger refuse before update on realtime.push for each row execute function realtime.refuse()
                    """)
                try await house.push("1", in: Self.room)
                try await eventually("the end of the others") {
                    try await house.ask("select count(done_at) from realtime.push") == "99"
                }
                #expect(Set(Self.devices(house)).count == 100 && Self.devices(house).count == 100)
            }
        }
    }

    @Test("A draining gateway finishes pushes under way; the next instance sends the others at once")
    func ending() async throws {
        // Far more than pass between the first and the end, however slowly that comes.
        let count = 320
        try await Self.use(devices: count) { house, settings in
            house.peers.change { $0.pushTakes = .milliseconds(300) }
            let first = try await house.startProcess(settings)
            try await house.push("1", in: Self.room)
            try await eventually("the first pushes") { Self.devices(house).count >= 20 }
            await first.process.stop(SIGTERM)
            let sent = Self.devices(house).count
            #expect(sent < count)
            #expect(try await house.ask("select count(done_at) from realtime.push") == "\(sent)")
            house.peers.change { $0.pushTakes = .zero }
            let second = try await house.startProcess(settings, port: first.port)
            try await house.settled(count: count)
            #expect(Set(Self.devices(house)).count == count && Self.devices(house).count == count)
            await second.process.stop()
        }
    }

    @Test("All waiting pushes share one request for an access token")
    func accessToken() async throws {
        try await Self.use(devices: 60) { house, settings in
            house.peers.change { $0.tokenTakes = .milliseconds(300) }
            try await house.withNode(settings) { _ in
                try await house.push("1", in: Self.room)
                try await house.settled(count: 60)
                #expect(house.peers.count("/token") == 1)
            }
        }
    }

    @Test("All devices of a page of members are read in one call")
    func bulk() async throws {
        try await GatewayHouse.use { house in
            let folder = TemporaryFolder("maru-push")
            house.peers.change { state in
                state.channels[8] = Set(1...60)
                state.devices = Dictionary(uniqueKeysWithValues: (Int64(1)...60).map { ($0, ["d\($0)"]) })
            }
            try await house.withNode(try house.pushSettings(folder)) { _ in
                try await house.push("1", in: Self.room)
                try await house.settled(count: 59)
                #expect(house.peers.count("/internal/devices") == 1)
            }
        }
    }

    @Test("A key file of another project costs no devices; once a push has passed, a device of another project goes")
    func otherProject() async throws {
        try await Self.use(devices: 1) { house, settings in
            let mismatch: (UInt16, String, String?) = (403, "SENDER_ID_MISMATCH", nil)
            house.peers.change { $0.refusals = [mismatch] }
            try await house.withNode(settings) { _ in
                try await house.push("1", in: Self.room)
                try await house.settled(count: 1)
                #expect(house.peers.now.pruned.isEmpty)
                try await house.push("2", in: Self.room)
                try await house.settled(count: 2)
                house.peers.change { $0.refusals = [mismatch] }
                try await house.push("3", in: Self.room)
                try await house.settled(count: 3)
                #expect(house.peers.now.pruned == ["d1"])
            }
        }
    }
}

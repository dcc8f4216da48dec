import Contract
import EventLoop
import Postgres
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Redelivered push jobs", .serialized)
struct PushRepetitionTests {
    private static let room = RoomID(ChannelID(8))

    /// Runs `body` with a node that has 1 in the room, 2 away and 60 writing.
    private static func withReader(
        _ settings: [String: String] = [:], _ body: (GatewayHarness, SocketClient) async throws -> Void
    ) async throws {
        try await GatewayHarness.use { harness in
            let folder = TemporaryFolder("maru-push")
            harness.peers.change { state in
                state.channels[8] = [1, 2, 60]
                state.devices = [1: ["d1"], 2: ["d2"]]
            }
            try await harness.withNode(try harness.pushSettings(folder, settings)) { node in
                let reader = try await harness.listener(1, port: node.port, in: Self.room)
                try await eventually("presence") { try await Self.present(harness) == 1 }
                try await body(harness, reader)
            }
        }
    }

    private static func present(_ harness: GatewayHarness) async throws -> Int {
        try await harness.redis.command("ZRANGE", "presence:channel-8", "0", "-1").count { !$0.isEmpty }
    }

    private static func leave(_ reader: SocketClient, _ harness: GatewayHarness) async throws {
        reader.drop()
        try await eventually("nobody here") { try await present(harness) == 0 }
    }

    @Test("A user gets no push of a message that they read live when its job is redelivered later")
    func toldAgain() async throws {
        try await Self.withReader { harness, reader in
            let message = try await harness.push("1", in: Self.room)
            try await harness.settled(count: 1)
            try await Self.leave(reader, harness)
            try await harness.tell(message)
            try await harness.taken()
            #expect(try await harness.ask("select string_agg(device, ',') from realtime.push") == "d2")
            // They get pushes of new messages.
            try await harness.push("2", in: Self.room)
            try await harness.settled(count: 3)
            #expect(harness.peers.now.pushes.map(\.device).sorted() == ["d1", "d2", "d2"])
        }
    }

    @Test("A job without recipients is finished as well")
    func nobody() async throws {
        try await Self.withReader { harness, reader in
            harness.peers.change { $0.devices[2] = nil }
            let message = try await harness.push("1", in: Self.room)
            try await harness.taken()
            try await Self.leave(reader, harness)
            try await harness.tell(message)
            try await harness.taken()
            #expect(try await harness.ask("select count(*) from realtime.push") == "0")
        }
    }

    @Test("A user gets no push after leaving if they were present when its job failed")
    func failure() async throws {
        try await Self.withReader { harness, reader in
            harness.peers.change { $0.devicesAway = true }
            let message = try await harness.push("1", in: Self.room)
            // A read is tried twice.
            try await eventually("two questions") { harness.peers.count("/internal/devices") >= 2 }
            try await Self.leave(reader, harness)
            harness.peers.change { $0.devicesAway = false }
            try await eventually("a push") {
                try await harness.tell(message)
                return try await harness.ask("select count(*) from realtime.push") != "0"
            }
            #expect(try await harness.ask("select string_agg(device, ',') from realtime.push") == "d2")
        }
    }

    @Test("A job that failed continues after the last member with a decision, also if a member before has left since")
    func leftMember() async throws {
        try await Self.withReader { harness, _ in
            harness.peers.change { $0.channels[8] = [2, 60] }
            // The page of the first attempt, which failed at the next one.
            _ = try await harness.ask(
                """
                insert into realtime.push_decision (kind, room, seq, after_user, decided_at, users, reasons)
                values (1, 8, 1, 0, (extract(epoch from now()) * 1000)::bigint, '{1}', '{present}')
                """)
            try await harness.push("1", in: Self.room)
            try await harness.settled(count: 1)
            #expect(harness.peers.now.pushes.map(\.device) == ["d2"])
        }
    }

    @Test("A page that another attempt has inserted from the same place does not finish the job")
    func otherAttempt() async throws {
        try await Self.withStore { harness, store in
            let message = harness.peers.change { $0.write("1", in: Self.room, by: 60, session: 1060) }
            func insert(_ users: [Int64], after: Int64?, isLast: Bool) async throws -> Bool {
                let page = PushPage(
                    after: after.map { UserID($0) }, users: users.map { UserID($0) }, present: [], devices: []
                ) { _ in false }
                return try await store.insert(
                    message, PushMessage(message, content: ""), page, isLast: isLast, at: .now)
            }
            let before = try await store.progress(of: message)
            #expect(before == .decided(through: nil))
            let first = try await insert([1], after: nil, isLast: false)
            let repeated = try await insert([2], after: nil, isLast: true)
            #expect(first && !repeated)
            let between = try await store.progress(of: message)
            #expect(between == .decided(through: UserID(1)))
            let last = try await insert([2], after: 1, isLast: true)
            let after = try await store.progress(of: message)
            #expect(last && after == .taken)
        }
    }

    @Test("Messages of one entry are pushed once each, even after one that fails")
    func together() async throws {
        try await Self.withReader { harness, _ in
            let messages = harness.peers.change { state in
                state.awayChannels = [9]
                return (0..<20).map { number in
                    state.write("\(number)", in: RoomID(ChannelID(number == 0 ? 9 : 8)), by: 60, session: 1060)
                }
            }
            try await harness.tell(messages)
            try await harness.settled(count: 19)
            harness.peers.change { state in
                state.awayChannels = []
                state.channels[9] = [2, 60]
            }
            try await harness.tell(messages)
            try await harness.settled(count: 20)
            let pushes = harness.peers.now.pushes
            #expect(Set(pushes.map(\.device)) == ["d2"])
            let texts = pushes.compactMap { $0.message["notification"]?["body"]?.string }
            #expect(texts.sorted() == messages.map(\.body.content).sorted())
        }
    }

    @Test("A message older than push_age is not pushed")
    func old() async throws {
        try await Self.withReader { harness, _ in
            let message = harness.peers.change { $0.write("1", in: Self.room, by: 60, session: 1060) }
            let body = message.body
            let old = RoomMessage(
                room: message.room, workspace: message.workspace, name: message.name,
                body: MessageBody(
                    id: body.id, seq: body.seq, content: body.content, createdAt: .now - .seconds(3700), files: [],
                    author: body.author),
                session: message.session)
            try await harness.tell(old)
            try await harness.push("2", in: Self.room)
            try await harness.taken()
            try await harness.settled(count: 1)
            #expect(harness.peers.now.pushes.map { $0.message["notification"]?["body"]?.string } == ["2"])
        }
    }

    @Test("Pushes and jobs are deleted after a week, a few at a time; their texts at once")
    func forgetting() async throws {
        try await GatewayHarness.use { harness in
            let folder = TemporaryFolder("maru-push")
            harness.give()
            // Makes the tables.
            try await harness.withNode(try harness.pushSettings(folder)) { _ in }
            let ages = "(extract(epoch from now()) * 1000)::bigint - 86400000 * case when n > 2500 then 6 else 8 end"
            _ = try await harness.ask(
                """
                insert into realtime.push (kind, room, seq, device, user_id, body, due_at, created_at, done_at)
                select 1, 9, n, 'd', 1, '', 0, 0, \(ages) from generate_series(1, 2600) n;
                insert into realtime.push_job select 1, 9, n, \(ages) from generate_series(1, 2600) n
                """)
            try await harness.withNode(try harness.pushSettings(folder)) { _ in
                try await harness.push("비밀", in: Self.room)
                for table in ["push", "push_job"] {
                    try await eventually("only younger ones") {
                        try await harness.ask("select count(*), min(seq) from realtime.\(table) where room = 9")
                            == "100|2501"
                    }
                }
                try await eventually("the end of the push") {
                    try await harness.ask("select count(done_at) from realtime.push where room = 8") == "1"
                }
                #expect(try await harness.ask("select body from realtime.push where room = 8") == "")
            }
        }
    }

    @Test("One deletion is bounded")
    func portions() async throws {
        try await Self.withStore { harness, store in
            _ = try await harness.ask(
                """
                insert into realtime.push (kind, room, seq, device, user_id, body, due_at, created_at, done_at)
                select 1, 9, n, 'd', 1, '', 0, 0, (extract(epoch from now()) * 1000)::bigint - n
                from generate_series(1, 25) n
                """)
            for (isMore, left) in [(true, "15"), (true, "5"), (false, "0")] {
                let wasMore = try await store.forget(before: .now + .seconds(60), atMost: 10)
                #expect(wasMore == isMore)
                #expect(try await harness.ask("select count(*) from realtime.push where room = 9") == left)
            }
        }
    }

    /// Runs `body` with a store beside a node.
    private static func withStore(_ body: (GatewayHarness, PushStore) async throws -> Void) async throws {
        try await GatewayHarness.use { harness in
            let folder = TemporaryFolder("maru-push")
            try await harness.withNode(try harness.pushSettings(folder)) { node in
                var configuration = PostgresConfiguration(harness.database.connectionString)
                configuration.schema = "realtime"
                configuration.waitPatiently()
                let blocking = BlockingPool(threads: 1, limit: 8)
                let database = PostgresPool(configuration, on: node.loops, blocking: blocking)
                defer {
                    database.close()
                    blocking.stop()
                }
                try await body(harness, PushStore(database: database))
            }
        }
    }
}

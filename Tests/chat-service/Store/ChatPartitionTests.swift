import Contract
import Postgres
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Chat schema divided by workspace", .serialized)
struct ChatPartitionTests {
    @Test(
        "A statement of clients is planned to the part of its workspace alone, and all others are listed with their reasons"
    )
    func plans() async throws {
        try await ChatDatabase.use { database in
            try await database.divide()
            var wide: Set<String> = []
            for (number, statement) in try StoreStatement.all().enumerated() {
                let plan = try await database.plan(of: statement, number: number)
                let parts = plan.map { Set($0.matches(of: #/ on [a-z_]+_p(\d+)/#).map(\.1)) }
                if parts.map({ $0.count > 1 }) ?? true { wide.insert(statement.name) }
            }
            let listed = WideStatements.all
            #expect(wide.subtracting(listed).sorted() == [])
            // The list is as short as can be.
            #expect(listed.subtracting(wide).sorted() == [])
        }
    }

    /// A router sends a statement to the worker of its shard as it is, unless it must compute a part of it before.
    @Test("A statement of one workspace has a form that a router of shards passes on, and all others are listed")
    func forms() throws {
        let statements = try StoreStatement.all().filter { !WideStatements.all.contains($0.name) }
        let refused = Dictionary(grouping: statements.filter { $0.routingObstacle != nil }, by: \.name)
        let found = Set(refused.keys)
        let listed = WideStatements.onCoordinator.union(WideStatements.inSteps)
        #expect(found.subtracting(listed).sorted().map { "\($0): \(refused[$0]?.first?.routingObstacle ?? "")" } == [])
        #expect(listed.subtracting(found).sorted() == [])
    }

    @Test("Messages, replies, mentions, changes and read markers are written into the parts of their workspaces")
    func writes() async throws {
        let database = try await ChatDatabase(schema: "parts,chat")
        try await database.lent { database in
            try await database.divide()
            let other = RoomID(ChannelID(8))
            let rooms = [
                RoomKey(workspace: WorkspaceID(3), id: RoomID(ChannelID(7))),
                RoomKey(workspace: WorkspaceID(4), id: other),
            ]
            let mention = MessageMention.user(UserID(2), nickname: nil)
            let first = try await database.write([
                .sample("a"), .sample("b", clientID: "b"), .sample("c", room: other, mentions: [mention], workspace: 4),
            ])
            #expect(first.outcomes.map(\.isWritten) == [true, true, true])
            let second = try await database.write([
                .sample("b", clientID: "b"), .sample("d", reply: ReplyRequest(seq: 1, isInTimeline: false)),
                .sample("e", room: other, reply: ReplyRequest(seq: 1, isInTimeline: true), workspace: 4),
            ])
            #expect(second.outcomes.map(\.isWritten) == [false, true, true])
            #expect(second.roots.map(\.details.replies?.count) == [1, 1])
            try await database.run { pool in
                let kinds: [PendingChange.Kind] = [.react(Emoji(stored: "a")), .pin, .edit("f")]
                let changes = rooms.flatMap { room in
                    let target = MessageTarget(room: room.id, workspace: room.workspace, name: "general")
                    return kinds.map { PendingChange(target: target, seq: 1, user: UserID(1), kind: $0) }
                }
                let written = try await ChangeWriter(database: pool, limits: ChangeLimits()).write(changes, now: .now)
                #expect(written.changed.map(\.workspace) == rooms.map(\.workspace))
                #expect(written.changed.map(\.details.reactions.count) == [1, 1])
                #expect(written.changed.map { $0.details.pin != nil } == [true, true])
                let markers = ReadMarkerStore(database: pool)
                for room in rooms {
                    #expect(try await markers.advance(UserID(2), in: room, to: 1))
                    #expect(try await markers.advance(UserID(2), in: room, to: 2))
                    #expect(try await markers.marker(of: UserID(2), in: room) == 2)
                    let page = try await MessageStore(database: pool).page(
                        of: room, after: 0, through: 9, limit: 9, bytes: 1000)
                    #expect(page.first?.content == "f" && page.count > 1)
                }
            }
            for table in [
                "message", "reply", "thread", "message_change", "message_version", "reaction", "pin", "read_position",
            ] {
                let parts = try await database.ask(
                    """
                    select string_agg(workspace || substring(tableoid::regclass::text from '_p[0-9]+$'), ',' order by workspace)
                    from (select distinct workspace, tableoid from parts.\(table)) as part
                    """)
                let rooms = try await database.ask(
                    "select string_agg(workspace || substring(tableoid::regclass::text from '_p[0-9]+$'), ',' order by workspace) from parts.room"
                )
                #expect(parts == rooms, "\(table)")
            }
        }
    }
}

extension SendOutcome {
    fileprivate var isWritten: Bool { if case .written = self { true } else { false } }
}

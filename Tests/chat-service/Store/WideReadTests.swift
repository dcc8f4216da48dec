import Contract
import Postgres
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Reads while a part of a divided schema is out of reach", .serialized)
struct WideReadTests {
    @Test("The other parts are read for all users, workspaces of the lost part are named, and wide reads pause")
    func starts() async throws {
        let database = try await ChatDatabase(pools: 2, schema: "parts,chat")
        try await database.lent { database in
            try await database.divide()
            // Each workspace has a channel of its number, and a DM of the user 1 with the user of its number.
            _ = try await database.ask(
                """
                insert into parts.room (workspace, kind, id, name) select w, 1, w, 'general' from generate_series(3, 20) w;
                insert into parts.dm (workspace, low, high, created_at) select w, 1, w, w from generate_series(3, 20) w;
                """)
            let other = try await database.ask(
                """
                select min(id) from parts.room
                where tableoid <> (select tableoid from parts.room where id = 3)
                """)
            let lost = try #require(Int64(other))
            let part = try await database.ask(
                "select substring(tableoid::regclass::text from '_p[0-9]+$') from parts.room where id = \(lost)")
            let room = RoomKey(workspace: WorkspaceID(3), id: RoomID(ChannelID(3)))
            let near = UserStartStore.Reader(user: UserID(3), workspaces: [WorkspaceID(3)])
            let far = UserStartStore.Reader(user: UserID(lost), workspaces: [WorkspaceID(lost)])
            let both = UserStartStore.Reader(user: UserID(1), workspaces: [WorkspaceID(3), WorkspaceID(lost)])
            // A slow machine may need some time for the reads, and does not reach the end of the pause.
            let wide = WideReads(isDivided: true, pause: .seconds(600))
            @Sendable func starts() async throws -> [UserStartStore.Reader: UserStartStore.Rows] {
                try await database.run { pool in
                    let store = UserStartStore(database: pool, wide: wide, limit: .seconds(60).patiently)
                    return try await store.rows(of: [near, far, both])
                }
            }
            let all = try await starts()
            #expect(Set(all.keys) == [near, far, both] && all.values.allSatisfy(\.unavailable.isEmpty))
            // A lock stands for a server that gives no answer.
            try await database.run(1) { pool in
                try await pool.transaction { tx in
                    try await tx.execute(.waitForLong)
                    for table in ["room", "dm", "room_notify", "draft"] {
                        let sql = "lock table parts.\(table)\(part) in access exclusive mode"
                        try await tx.execute(.write("lock part", unprepared: sql))
                    }
                    let found = try await starts()
                    #expect(Set(found.keys) == [near, far, both])
                    #expect(found.mapValues(\.unavailable) == [near: [], far: far.workspaces, both: far.workspaces])
                    #expect(found[near]?.dms.map(\.workspace) == [WorkspaceID(3)])
                    #expect(found[both]?.dms.map(\.workspace) == [WorkspaceID(3)])
                    #expect(found[far]?.dms.isEmpty == true)
                    let channels = both.workspaces.sorted().map {
                        MyRoomsRequest.Channel(id: ChannelID($0.rawValue), workspace: $0, name: "general")
                    }
                    #expect(found[both]?.readable(channels).map(\.workspace) == [WorkspaceID(3)])
                    #expect(found[near]?.readable(channels) == channels)
                    #expect(try await wide.attempt { true } == nil)
                    let names = try await database.run { pool in try await RoomNames(database: pool).of([room]) }
                    #expect(names[room.id]?.name == "general")
                }
            }
        }
    }

    @Test("Scheduled messages that were leased are returned although another workspace cannot be written")
    func scheduled() async throws {
        let database = try await ChatDatabase(pools: 2, schema: "parts,chat")
        try await database.lent { database in
            try await database.divide()
            // Those of the workspace 3 are due first.
            _ = try await database.ask(
                """
                insert into parts.scheduled
                    (user_id, session, workspace, kind, room, content, send_at, created_at, due_at)
                    select 1, 1, w, 1, w, 'later', w, w, w from generate_series(3, 8) w
                """)
            let part = try await database.ask(
                """
                select distinct tableoid::regclass from parts.scheduled
                where tableoid <> (select tableoid from parts.scheduled where workspace = 3) order by 1 limit 1
                """)
            try await database.run(1) { pool in
                try await pool.transaction { tx in
                    try await tx.execute(.waitForLong)
                    // Reads go on.
                    try await tx.execute(.write("lock part", unprepared: "lock table \(part) in exclusive mode"))
                    let taken = try await database.run { pool in
                        try await ScheduledStore(database: pool.within(.seconds(60).patiently))
                            .take(atMost: 100, now: .now, lease: .seconds(60))
                    }
                    #expect(taken.contains { $0.workspace == WorkspaceID(3) } && taken.count < 6)
                }
            }
        }
    }
}

import Postgres
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("The end of a workspace", .serialized)
struct ClosingTests {
    /// As many messages as erasing takes many pieces for.
    private static let messages = 200_000

    /// A channel of workspace 3 in which much has been said.
    private static let said = """
        insert into chat.room (kind, id, workspace, name, last_seq, last_at)
            values (1, 7, 3, 'general', \(messages), 2 * \(messages));
        insert into chat.message (kind, room, seq, author, session, content, files, created_at)
            select 1, 7, n, n % 4 + 1, 1001, 'message ' || n, '{}', 2 * n from generate_series(1, \(messages)) as n;
        insert into chat.read_position (user_id, kind, room, seq) values (2, 1, 7, 5);
        """

    /// What of a closed room can be left, and how many rooms are noted to be erased.
    private static let left = """
        select (select count(*) from chat.message where room <> 9), (select count(*) from chat.read_position),
            (select count(*) from chat.file), (select count(*) from chat.room where is_erased)
        """

    private static let lock = Statement("lock messages", "lock table message in share mode")
    private static let wait = Statement("wait long", "set local idle_in_transaction_session_timeout = 0")

    /// Runs `body` while no message can be deleted, or written.
    private static func keepingMessages(
        _ house: ChatHouse, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let (held, holding) = AsyncStream.makeStream(of: Void.self)
        let ended = Task {
            for await _ in held { break }
            try await body()
        }
        try await house.database.run { pool in
            try await pool.transaction { tx in
                try await tx.query(wait)
                try await tx.query(lock)
                holding.yield()
                try await ended.value
            }
        }
    }

    @Test("All rooms of a deleted workspace are closed, and other facts heard, before anything of it is erased")
    func order() async throws {
        try await ChatHouse.use { house in
            try await house.database.database.run(sql: Self.said)
            let opened = try await house.call("POST", "/v1/workspaces/3/dms", json: #"{"opponent_id":"2"}"#)
            let chats = "/v1/workspaces/3/dms/\(try opened.json["room_id"]?.string ?? "")/chats"
            for path in [chats, "/v1/workspaces/4/channels/9/chats"] {
                let sent = try await house.call("POST", path, json: #"{"content":"hi"}"#)
                #expect(sent.status == 201)
            }
            try await house.untilTold()
            let ear = try RoomEar(house.redis)
            try await Self.keepingMessages(house) {
                try await house.tell(1, "workspace.deleted", #"{"workspace_id":"3","version":2}"#)
                try await house.tell(
                    2, "channel.member.removed",
                    #"{"channel_id":"9","workspace_id":"4","name":"g","user_id":"2","version":2}"#)
                let told = try await ear.heard { $0.last?["room"]?.string == "channel-9" }
                let named = told.map { "\($0["type"]?.string ?? "") \($0["room"]?.string ?? "")" }
                #expect(named == ["closed channel-7", "closed dm-1", "removed channel-9"])
                // Who is in the workspace is answered as before: nobody but the fact has told of its end.
                for (method, body) in [("GET", nil), ("POST", #"{"content":"still there?"}"#)] {
                    let reply = try await house.call(method, chats, json: body)
                    #expect(reply.errorCode == "E13", "\(method): \(reply.text)")
                }
                let count = try await house.database.ask("select count(*) from chat.message where room <> 9")
                #expect(count == "\(Self.messages + 1)")
            }
            try await eventually("erasing") { try await house.database.ask(Self.left) == "0|0|0|2" }
            let other = try await house.call("GET", "/v1/workspaces/4/channels/9/chats")
            #expect(try other.json[0]?["content"]?.string == "hi")
        }
    }

    @Test("The read positions of a closed room are found by their index, not among those of all rooms")
    func positions() async throws {
        try await ChatHouse.use { house in
            try await house.database.database.run(
                sql: """
                    insert into chat.room (kind, id, workspace, name) values (1, 7, 3, 'general');
                    insert into chat.read_position (user_id, kind, room, seq)
                        select n, 1, n % 5000, 1 from generate_series(1, 50000) as n;
                    analyze chat.read_position;
                    """)
            try await house.tell(1, "workspace.deleted", #"{"workspace_id":"3","version":2}"#)
            try await eventually("a search of the index") {
                try await house.database.ask(
                    "select idx_scan > 0 from pg_stat_user_indexes where indexrelname = 'read_position_of_room'") == "t"
            }
            let left = try await house.database.ask("select count(*), sum((room = 7)::int) from chat.read_position")
            #expect(left == "49990|0")
        }
    }

    @Test("What a killed process has closed and not erased, the next one erases")
    func restart() async throws {
        try await ChatProcess().lent { process in
            await process.kill()
            try await process.database.database.run(
                sql: Self.said + "update chat.room set is_closed = true")
            try await process.start()
            try await eventually("erasing") { try await process.database.ask(Self.left) == "0|0|0|1" }
        }
    }

    @Test("Who leaves a workspace is taken out of a hundred rooms at a time, each told once, the closed ones left out")
    func leaving() async throws {
        let cluster = try await PostgresCluster.start(["shared_preload_libraries=pg_stat_statements"])
        try await ChatHouse.use(on: cluster) { house in
            try await house.database.database.run(
                sql: """
                    create extension pg_stat_statements;
                    insert into chat.room (kind, id, workspace, name, last_seq, is_closed)
                        select 1, n, 3, 'c' || n, n, n % 10 = 0 from generate_series(1, 250) as n
                    """)
            let ear = try RoomEar(house.redis)
            try await house.tell(1, "workspace.member.removed", #"{"workspace_id":"3","user_id":"2","version":3}"#)
            let told = try await ear.heard { $0.count >= 225 }
            let open = (1...250).filter { $0 % 10 != 0 }
            #expect(told.map { $0["room"]?.string } == open.map { "channel-\($0)" })
            #expect(told.map { $0["after"]?.int } == open)
            #expect(told.allSatisfy { $0["type"]?.string == "removed" && $0["user_id"]?.string == "2" })
            let calls = try await house.database.ask(
                """
                select calls from pg_stat_statements s join pg_database d on d.oid = s.dbid
                where datname = current_database() and query ~ 'insert into removal'
                """)
            #expect(calls == "3")
        }
        await cluster.stop()
    }
}

import Contract
import ServiceKit
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Repeated calls for scheduled messages that were sent", .serialized)
struct RepeatedScheduledTests {
    private static let chats = "\(ChatHarness.channel)/chats"

    /// Schedules a message under the name `c`.
    private static func schedule(
        _ chat: ChatHarness, _ content: String = "하나", at: String, user: Int64 = 1, files: [Upload] = []
    ) async throws -> HTTPCall.Reply {
        try await chat.call(
            "POST", "\(ChatHarness.channel)/scheduled", user: user,
            headers: [("Content-Type", "multipart/form-data; boundary=\(Upload.boundary)")],
            body: Upload.form(files, [("content", content), ("at", at), ("client_id", "c")]))
    }

    /// Waits until everything that is scheduled was sent, without a change of the times that the calls asked for.
    private static func sendAll(_ chat: ChatHarness) async throws {
        try await chat.database.database.run(sql: "update chat.scheduled set due_at = 0")
        try await eventually("the end of all sends") {
            try await chat.database.ask("select count(*) from chat.scheduled") == "0"
        }
    }

    @Test("A call that is repeated after its message was sent gets the first reply, and schedules no other message")
    func afterSend() async throws {
        try await ChatHarness.use { chat in
            let at = "\(Timestamp.now + .seconds(3600))"
            let first = try await Self.schedule(chat, at: at)
            #expect(first.status == 201, "\(first.text)")
            try await Self.sendAll(chat)
            let again = try await Self.schedule(chat, at: at)
            #expect(again.status == 201, "\(again.text)")
            for name in ["id", "room", "content", "at", "createdAt", "client_id"] as [StaticString] {
                #expect(try again.json[name]?.string == first.json[name]?.string, "\(name)")
            }
            #expect(try again.json["state"]?.string == "sent")
            #expect(try await Self.schedule(chat, "둘", at: at).status == 409)
            #expect(try await Self.schedule(chat, "", at: at, files: [.pdf]).status == 409)
            let later = "\(Timestamp.now + .seconds(7200))"
            #expect(try await Self.schedule(chat, at: later).status == 409)
            // The names of each user are their own.
            let others = try await Self.schedule(chat, at: at, user: 2)
            #expect(try others.json["state"]?.string == "waiting")
            #expect(try await chat.call("PUT", "\(Self.chats)/1", json: #"{"content":"셋"}"#).status == 200)
            #expect(try await Self.schedule(chat, at: at).status == 201)
            #expect(try await chat.call("DELETE", "\(Self.chats)/1").status == 200)
            #expect(try await Self.schedule(chat, at: at).status == 201)
            #expect(try await chat.database.ask("select count(*) from chat.message") == "1")
            #expect(try await chat.database.ask("select count(*) from chat.scheduled where user_id = 1") == "0")
        }
    }

    @Test("A call that is repeated after the time of its message, which was sent, is not refused for that time")
    func afterTime() async throws {
        try await ChatHarness.use { chat in
            let first = try await Self.schedule(chat, at: "\(Timestamp.now + .seconds(3600))", files: [.pdf])
            #expect(first.status == 201, "\(first.text)")
            try await Self.sendAll(chat)
            let past = Timestamp.now - .seconds(60)
            try await chat.database.database.run(sql: "update chat.scheduled_sent set send_at = \(past.milliseconds)")
            let again = try await Self.schedule(chat, at: "\(past)", files: [.pdf])
            #expect(again.status == 201, "\(again.text)")
            #expect(try again.json["id"]?.string == first.json["id"]?.string)
            let paths = try first.json["files"]?.elements.map { $0.compactMap(\.string) }
            #expect(try again.json["files"]?.elements.map { $0.compactMap(\.string) } == paths)
            #expect(paths?.count == 1 && chat.storedFiles.count == 1)
            #expect(try await Self.schedule(chat, at: "\(past)").status == 409, "it has no file")
        }
    }

    @Test("A message that was sent while the files of a repeated call came is not scheduled again")
    func meanwhile() async throws {
        try await ChatDatabase.use { database in
            let target = MessageTarget(room: RoomID(ChannelID(7)), workspace: WorkspaceID(3), name: "general")
            let caller = Caller(user: UserID(1), session: SessionID(1))
            let request = try SendRequest(content: "하나", files: [], clientID: "c")
            let isScheduled = try await database.run { pool in
                let store = ScheduledStore(database: pool)
                func insert() async throws -> ScheduledMessage? {
                    try await store.insert(
                        request, files: [], at: .now, to: target, by: caller, limit: 9, now: .now)
                }
                guard let first = try await insert() else { return [false] }
                try await store.finish(first, now: .now)
                return [true, try await insert() != nil]
            }
            #expect(isScheduled == [true, false])
        }
    }

    @Test("R15: a call that is repeated just as the send of its message ends schedules no other message")
    func duringEnd() async throws {
        try await ChatDatabase.use { database in
            let target = MessageTarget(room: RoomID(ChannelID(7)), workspace: WorkspaceID(3), name: "general")
            let caller = Caller(user: UserID(1), session: SessionID(1))
            let request = try SendRequest(content: "하나", files: [], clientID: "c")
            @Sendable func insert() async throws -> Bool {
                try await database.run { pool in
                    try await ScheduledStore(database: pool).insert(
                        request, files: [], at: .now, to: target, by: caller, limit: 9, now: .now) != nil
                }
            }
            #expect(try await insert())
            let isScheduled = try await database.database.holding(
                """
                insert into chat.scheduled_sent (workspace, user_id, kind, room, client_id, id, send_at, created_at, sent_at)
                    select workspace, user_id, kind, room, client_id, id, send_at, created_at, 1 from chat.scheduled;
                delete from chat.scheduled where workspace = 3
                """,
                while: insert)
            #expect(!isScheduled)
            #expect(try await database.ask("select count(*) from chat.scheduled") == "0")
        }
    }

    /// Schedules a message of user 1 under the name `c`, in the workspace 3.
    private static func planted(_ database: ChatDatabase) async throws -> ScheduledMessage {
        let target = MessageTarget(room: RoomID(ChannelID(7)), workspace: WorkspaceID(3), name: "general")
        let caller = Caller(user: UserID(1), session: SessionID(1))
        let request = try SendRequest(content: "하나", files: [], clientID: "c")
        let scheduled = try await database.run { pool in
            try await ScheduledStore(database: pool).insert(
                request, files: [], at: .now, to: target, by: caller, limit: 9, now: .now)
        }
        return try #require(scheduled)
    }

    /// On Citus an account is erased by workspace only.
    @Test(
        "An account that is erased just as the send of its message ends leaves no name, also in a divided schema",
        arguments: ChatEngine.ofTests == .citus ? [true] : [false, true])
    func duringErasure(isDivided: Bool) async throws {
        try await ChatDatabase.use { database in
            _ = try await Self.planted(database)
            try await database.database.holding(
                """
                insert into chat.scheduled_sent (workspace, user_id, kind, room, client_id, id, send_at, created_at, sent_at)
                    select workspace, user_id, kind, room, client_id, id, send_at, created_at, 1 from chat.scheduled;
                delete from chat.scheduled where workspace = 3
                """
            ) {
                try await database.run { pool in
                    if isDivided {
                        let finder = WorkspaceFinder(database: pool)
                        try await DividedUserErasureStore(database: pool, finder: finder)
                            .eraseOwnRows(of: UserID(1), in: WorkspaceID(3))
                    } else {
                        try await UserErasureStore(database: pool).eraseOwnRows(of: UserID(1))
                    }
                }
            }
            #expect(try await database.ask("select count(*) from chat.scheduled_sent") == "0")
        }
    }

    @Test("A send that ends just after its author or room was erased leaves no name")
    func afterErasure() async throws {
        try await ChatDatabase.use { database in
            let scheduled = try await Self.planted(database)
            try await database.database.holding("delete from chat.scheduled where workspace = 3") {
                try await database.run { pool in
                    try await ScheduledStore(database: pool).finish(scheduled, now: .now)
                }
            }
            #expect(try await database.ask("select count(*) from chat.scheduled_sent") == "0")
        }
    }

    @Test("The end of a send forgets a limited number of old names, so that it ends in time however many there are")
    func portions() async throws {
        try await ChatDatabase.use { database in
            let scheduled = try await Self.planted(database)
            try await database.database.run(
                sql: """
                    insert into chat.scheduled_sent (workspace, user_id, kind, room, client_id, id, send_at, created_at,
                        sent_at)
                    select 3, 1, 1, 7, 'old ' || n, n, 1, 1, n from generate_series(1, 250) n
                    """)
            try await database.run { pool in
                try await ScheduledStore(database: pool).finish(scheduled, now: .now)
            }
            let names = "select count(*), min(sent_at) from chat.scheduled_sent"
            #expect(try await database.ask(names) == "151|101")
        }
    }

    @Test("The names of messages that were sent are forgotten after a month, when another one is sent")
    func memory() async throws {
        try await ChatHarness.use { chat in
            try await chat.database.database.run(
                sql: """
                    insert into chat.scheduled_sent (workspace, user_id, kind, room, client_id, id, send_at, created_at,
                        sent_at)
                    values (3, 1, 1, 7, 'old', 1, 1, 1, 1), (3, 2, 1, 7, 'of another user', 2, 1, 1, 1)
                    """)
            _ = try await Self.schedule(chat, at: "\(Timestamp.now + .seconds(3600))")
            try await Self.sendAll(chat)
            let names = "select string_agg(client_id, ', ' order by client_id) from chat.scheduled_sent"
            #expect(try await chat.database.ask(names) == "c, of another user")
        }
    }
}

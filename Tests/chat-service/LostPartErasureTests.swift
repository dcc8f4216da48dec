import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Erasures while a part of a divided schema is out of reach", .serialized)
struct LostPartErasureTests {
    /// Calls `body` with stubs of the peers and a Redis.
    private static func withPeers(_ body: (StubPeers, RedisServer) async throws -> Void) async throws {
        let peers = try StubPeers()
        let redis = try await RedisServer.start(isDurable: true)
        do {
            try await body(peers, redis)
        } catch {
            await peers.stop()
            await redis.stop()
            throw error
        }
        await peers.stop()
        await redis.stop()
    }

    /// How many rows of some workspaces there are, by the beginnings of conditions. It names the workspaces, so that it reads no other
    /// part.
    private static func count(
        _ conditions: [String], in workspaces: Set<WorkspaceID>, _ database: ChatDatabase
    ) async throws -> Int {
        let list = workspaces.map(\.description).sorted().joined(separator: ",")
        let counts = conditions.map { "(select count(*) from parts.\($0) workspace in (\(list)))" }
        return try #require(Int(try await database.ask("select " + counts.joined(separator: " + "))))
    }

    @Test("Closed rooms of the other parts are erased, also those that close meanwhile, and the rest later")
    func rooms() async throws {
        let planted = """
            update parts.room set is_closed = true;
            insert into parts.message (workspace, kind, room, seq, author, session, content, files, created_at)
                select w, 1, w, 1, 1, 1, 'text', '{}', 1 from generate_series(3, 7) w
            """
        let left = ["room where not is_erased and", "message where"]
        try await LostPart.use(planted) { database in
            try await Self.withPeers { peers, redis in
                let finder = LostPart.finder(database, pause: .zero)
                try await database.losing(["room", "message"]) { reachable in
                    // No list knows their workspaces.
                    try await DividedErasures.use(database, pool: 2, finder, peers, redis) {
                        for workspace in reachable {
                            let id = workspace.description
                            let body = #"{"workspace_id":"\#(id)","channel_id":"\#(id)","name":"a","version":9}"#
                            try await redis.command(
                                "XADD", "facts:workspace", "*", "id", id, "type", "channel.deleted", "body", body)
                        }
                        try await eventually(within: .seconds(120), "the erasure of rooms within reach") {
                            try await Self.count(left, in: reachable, database) == 0
                        }
                    }
                }
                #expect(try await Self.count(left, in: LostPart.workspaces, database) > 0)
                try await DividedErasures.use(database, pool: 2, finder, peers, redis) {
                    try await eventually(within: .seconds(120), "the erasure of all rooms") {
                        try await Self.count(left, in: LostPart.workspaces, database) == 0
                    }
                }
            }
        }
    }

    private static let account = """
        insert into parts.message (workspace, kind, room, seq, author, session, content, files, created_at)
            select w, 1, w, 1, 2, 1, 'text', array['/static/channelChats/a_' || w || '.pdf'], 1
            from generate_series(3, 7) w;
        insert into parts.file (workspace, name, folder, kind, room, display_name, size, author)
            select w, w || '.pdf', 'channelChats', 1, w, 'a', 1, 2 from generate_series(3, 7) w;
        insert into parts.reaction (workspace, kind, room, seq, user_id, emoji, reacted_at)
            select w, 1, w, 1, 2, '👍', 1 from generate_series(3, 7) w;
        insert into parts.draft (workspace, user_id, kind, room, thread, content, written_at)
            select w, 2, 1, w, 0, 'draft', 1 from generate_series(3, 7) w;
        insert into parts.read_position (workspace, user_id, kind, room, seq)
            select w, 2, 1, w, 1 from generate_series(3, 7) w;
        insert into parts.scheduled_sent
            (workspace, user_id, kind, room, client_id, id, send_at, created_at, sent_at)
            select w, 2, 1, w, 'a', w, 1, 1, 1 from generate_series(3, 7) w;
        insert into parts.user_settings (user_id, read_receipts, presence, typing, keywords)
            values (2, true, true, true, '{}');
        insert into parts.storage values (1, 2, 5);
        """

    @Test("D1: an account is erased in the other parts at once, and reported when it is erased in all of them")
    func account() async throws {
        let tables = [
            "message where deleted_at is null and", "file where", "reaction where", "draft where",
            "read_position where", "scheduled_sent where",
        ]
        try await LostPart.use(Self.account) { database in
            try await LostPart.list(in: database)
            try await Self.withPeers { peers, redis in
                @Sendable func announce() async throws {
                    let body = #"{"user_id":"2","round":1,"messages":true}"#
                    try await redis.command("XADD", "facts:auth", "*", "id", "1", "type", "user.deleted", "body", body)
                }
                /// An attempt begins with this call.
                @Sendable func attempts() -> Int { peers.now.asked.count { $0.hasSuffix("/users/2/channels") } }
                let finder = LostPart.finder(database, pause: .zero)
                try await DividedErasures.use(database, pool: 2, finder, peers, redis) {
                    let locked = ["room", "message", "file", "reaction", "draft", "read_position", "scheduled_sent"]
                    try await database.losing(locked) { reachable in
                        try await announce()
                        try await eventually(within: .seconds(120), "the erasure of rows within reach") {
                            try await Self.count(tables, in: reachable, database) == 0
                        }
                        let seen = attempts()
                        try await eventually(within: .seconds(120), "the end of an attempt") {
                            try await announce()
                            return attempts() > seen
                        }
                        #expect(peers.now.erased.isEmpty)
                    }
                    try await eventually(within: .seconds(120), "the report") {
                        try await announce()
                        return peers.now.erased.contains("2 1")
                    }
                    #expect(try await Self.count(tables, in: LostPart.workspaces, database) == 0)
                    #expect(try await database.ask("select count(*) from parts.user_settings") == "0")
                    #expect(try await database.ask("select count(*) from parts.storage where kind = 1") == "0")
                }
            }
        }
    }
}

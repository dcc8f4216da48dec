import Contract
import Postgres
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Badges while a part of a divided schema is out of reach", .serialized)
struct LostPartBadgeTests {
    /// In each workspace a message in the channel, which mentions user 1, and one in a DM: both by user 2 and unread by user 1.
    private static let messages = """
        insert into parts.dm (workspace, low, high, created_at) select w, 1, 2, w from generate_series(3, 7) w;
        insert into parts.room (workspace, kind, id, last_seq) select workspace, 2, id, 1 from parts.dm;
        insert into parts.message (workspace, kind, room, seq, author, session, content, files, created_at)
            select workspace, kind, id, 1, 2, 1, 'hi', '{}', 1 from parts.room;
        insert into parts.mention (workspace, kind, room, seq, user_id) select w, 1, w, 1, 1 from generate_series(3, 7) w
        """
    private static let tables = [
        "room", "dm", "read_position", "message", "message_change", "reply", "mention", "thread_follower",
    ]

    /// The badge of the user 1, as sockets and as pushes have it.
    private static func counts(
        in database: ChatDatabase
    ) async throws -> (badges: BadgeStore.Counts?, pushed: BadgeStore.Counts?) {
        let wide = WideReads(isDivided: true, pause: .seconds(600))
        let finder = WorkspaceFinder(database: database.pools[2], wide: wide, limit: .seconds(60).patiently)
        let user = UserID(1)
        let channels = LostPart.workspaces.map { ChannelID($0.rawValue) }
        let scope = BadgeStore.Scope(of: [user], in: [.init(user: user, channels: channels)], hiding: [:])
        return try await database.run(2) { pool in
            let recipients = PushRecipientStore(database: pool.within(.seconds(60).patiently))
            let store = BadgeStore(recipients: recipients, wide: wide, finder: finder)
            return (badges: try await store.badges(of: scope), pushed: try await store.unread(of: scope))
        }
    }

    @Test("Unread messages and mentions of the other parts are counted, and all of them once the part is back")
    func counts() async throws {
        try await LostPart.use(Self.messages) { database in
            try await LostPart.list(in: database)
            try await database.losing(Self.tables) { reachable in
                let (badges, pushed) = try await Self.counts(in: database)
                #expect(badges?.unread == [UserID(1): Int64(2 * reachable.count)])
                #expect(badges?.mentions == [UserID(1): Int64(reachable.count)])
                #expect(pushed?.unread == badges?.unread)
                #expect(badges?.isPartial == true)
            }
            let (badges, pushed) = try await Self.counts(in: database)
            #expect(badges?.unread == [UserID(1): 10])
            #expect(badges?.mentions == [UserID(1): 5])
            #expect(pushed?.unread == badges?.unread)
            #expect(badges?.isPartial == false)
        }
    }

    @Test("Without a list of workspaces no badge is counted, instead of one of nothing")
    func withoutList() async throws {
        try await LostPart.use(Self.messages) { database in
            try await database.losing(Self.tables) { _ in
                let (badges, pushed) = try await Self.counts(in: database)
                #expect(badges == nil && pushed == nil)
            }
        }
    }

    /// A push begins with the workspace of its room.
    @Test("The workspace of a room within reach is found, and a room out of reach is not taken for unknown")
    func rooms() async throws {
        try await LostPart.use("") { database in
            try await LostPart.list(in: database)
            try await database.losing(["room"]) { reachable in
                let names = RoomNames(database: database.pools[2], finder: LostPart.finder(database))
                @Sendable func find(_ workspaces: Set<WorkspaceID>) async throws -> Set<WorkspaceID> {
                    let rooms = Set(workspaces.map { RoomID(ChannelID($0.rawValue)) })
                    return try await database.run(2) { _ in Set(try await names.workspaces(of: rooms).values) }
                }
                let found = try await find(reachable)
                #expect(found == reachable)
                await #expect(throws: Failure.self) { try await find(LostPart.workspaces) }
            }
        }
    }
}

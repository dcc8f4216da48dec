import Contract
import Postgres
import ServiceKit
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Background work of one workspace at a time")
struct WorkspaceStepTests {
    private static let rooms = [Int64(3), 4].map { number in
        RoomKey(workspace: WorkspaceID(number), id: RoomID(ChannelID(number + 4)))
    }

    @Test("A step of the search index writes the messages of rooms in several workspaces")
    func index() async throws {
        try await ChatDatabase.use { database in
            for room in Self.rooms {
                _ = try await database.write([.sample("a", room: room.id, workspace: room.workspace.rawValue)])
            }
            try await database.run { pool in
                try await SearchPartitions(database: pool).make(for: .now)
                let store = SearchIndexStore(database: pool)
                #expect(Set(try await store.backlog(limit: 9).rooms) == Set(Self.rooms))
                let step = try await store.advance(Self.rooms, limit: 9) { _ in true }
                #expect(step.messages == 2 && step.unfinished.isEmpty)
                #expect(try await store.backlog(limit: 9).roomCount == 0)
            }
            let entries = try await database.ask(
                "select workspace, room, seq from chat.search_message where workspace > 0 order by 1")
            #expect(entries == "3|7|1\n4|8|1")
        }
    }

    @Test("A look for due messages takes those of several workspaces, and no more than asked for")
    func scheduled() async throws {
        try await ChatDatabase.use { database in
            try await database.run { pool in
                let store = ScheduledStore(database: pool)
                let caller = Caller(user: UserID(1), session: SessionID(1))
                for (number, room) in (Self.rooms + Self.rooms).enumerated() {
                    let target = MessageTarget(room: room.id, workspace: room.workspace, name: "a")
                    let request = try SendRequest(content: "\(number)", files: [], clientID: "\(number)")
                    _ = try await store.insert(
                        request, files: [], at: .now - .seconds(9 - number), to: target, by: caller, limit: 9, now: .now
                    )
                }
                let first = try await store.take(atMost: 3, now: .now, lease: .seconds(60))
                #expect(first.count == 3 && Set(first.map(\.workspace)).count == 2)
                let second = try await store.take(atMost: 3, now: .now, lease: .seconds(60))
                #expect(second.count == 1)
            }
        }
    }
}

import Contract
import Postgres
import ServiceKit
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Limits of a user")
struct UserLimitTests {
    @Test("Drafts, scheduled messages and daily reports of a user count in all workspaces together")
    func everywhere() async throws {
        try await ChatDatabase.use { database in
            let first = try await Self.add(in: 3, database)
            #expect(first == [true, true, true])
            let others = try await Self.add(in: 4, database)
            #expect(others == [false, false, false])
        }
    }

    /// Whether a draft, a scheduled message and a report in a workspace are accepted, with a limit of one each.
    private static func add(in workspace: Int64, _ database: ChatDatabase) async throws -> [Bool] {
        let room = RoomKey(workspace: WorkspaceID(workspace), id: RoomID(ChannelID(workspace)))
        let caller = Caller(user: UserID(1), session: SessionID(1))
        let draft = Draft(thread: nil, content: "a", updatedAt: .now)
        let request = try SendRequest(content: "a", files: [], clientID: nil)
        let target = MessageTarget(room: room.id, workspace: room.workspace, name: "a")
        let report = NewReport(
            kind: .workspace, workspace: room.workspace, subject: nil, message: nil, reason: .spam, text: "",
            reporter: caller.user, isForOperators: false, copies: [])
        return try await database.run { pool in
            [
                try await DraftStore(database: pool).put(draft, of: caller.user, in: room, limit: 1),
                try await ScheduledStore(database: pool).insert(
                    request, files: [], at: .now, to: target, by: caller, limit: 1, now: .now) != nil,
                try await ReportStore(database: pool).insert(report, limit: 1, at: .now) != nil,
            ]
        }
    }
}

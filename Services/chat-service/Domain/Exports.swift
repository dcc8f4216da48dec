import Contract
import ServiceKit
import Wire

/// Gives users copies of their texts, files and settings: first the tables with an index by user, then room by room their messages,
/// earlier texts and files.
struct Exports: Sendable {
    let store: ExportStore
    let rooms: UserErasureStore
    let workspaces: WorkspaceClient

    /// Records of a page of messages, earlier texts or files.
    private static let pageSize = 100
    /// Messages that one statement looks at, and the statements of one page: a call ends in time even if the user wrote
    /// few of a room's messages.
    private static let span: Int64 = 5000
    private static let statements = 20

    /// A page of the user's records.
    ///
    /// - Parameter cursor: the `next` of the page before; nil for the first page.
    /// - Throws: E11 for a cursor that no page had.
    func page(of user: UserID, after cursor: String?) async throws -> ExportPage {
        let rooms = try await self.rooms(of: user)
        if let cursor, cursor.hasPrefix(ExportCursor.prefix) {
            guard let cursor = ExportCursor(cursor) else { throw Failure.invalid("cursor is not valid.") }
            // The user may have left the room meanwhile; the next one follows in the order.
            guard let room = rooms.first(where: { !$0.isBefore(cursor.room) }) else { return ExportPage() }
            return try await page(of: user, at: room == cursor.room ? cursor : ExportCursor(room: room), among: rooms)
        }
        var page = try await store.tables.page(of: user, after: cursor)
        if page.next == nil { page.next = rooms.first.map { ExportCursor(room: $0).text } }
        return page
    }

    private func page(of user: UserID, at cursor: ExportCursor, among rooms: [RoomID]) async throws -> ExportPage {
        var (page, cursor) = (ExportPage(), cursor)
        for _ in 0..<Self.statements {
            let (rows, next) = try await records(of: user, at: cursor)
            let fitting = rows.fitting(in: ExportPage.mostBytes)
            page.append(fitting, to: cursor.part.rawValue)
            if fitting.count < rows.count, let last = fitting.last {
                cursor = ExportCursor(room: cursor.room, part: cursor.part, key: last.key)
                break
            }
            guard let following = next ?? cursor.following(among: rooms) else { return page }
            cursor = following
            if !rows.isEmpty { break }
        }
        page.next = cursor.text
        return page
    }

    /// The records at a cursor, and the next cursor in the same part of the room.
    private func records(of user: UserID, at cursor: ExportCursor) async throws -> ([ExportRow], ExportCursor?) {
        let room = cursor.room
        switch cursor.part {
        case .messages:
            let (rows, next) = try await store.messages(
                of: user, in: room, after: Int64(cursor.key) ?? 0, span: Self.span, limit: Self.pageSize)
            return (rows, next.map { ExportCursor(room: room, part: .messages, key: String($0)) })
        case .versions:
            return Self.paged(
                try await store.versions(of: user, in: room, after: cursor.key, limit: Self.pageSize), at: cursor)
        case .files:
            return Self.paged(
                try await store.files(of: user, in: room, after: cursor.key, limit: Self.pageSize), at: cursor)
        }
    }

    /// The rows with the next cursor in the same part, if they fill a page.
    private static func paged(_ rows: [ExportRow], at cursor: ExportCursor) -> ([ExportRow], ExportCursor?) {
        guard rows.count == pageSize, let last = rows.last else { return (rows, nil) }
        return (rows, ExportCursor(room: cursor.room, part: cursor.part, key: last.key))
    }

    /// The rooms that the user may have written to, in the order of the export.
    private func rooms(of user: UserID) async throws -> [RoomID] {
        let channels = try await workspaces.channels(of: user)
        return Set(try await rooms.rooms(of: user).map(\.id)).union(channels.map(\.room)).sorted { $0.isBefore($1) }
    }
}

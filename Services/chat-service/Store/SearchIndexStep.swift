import Contract
import Postgres
import Wire

/// The part of a room in a step of the search index.
struct SearchIndexStep: Sendable {
    /// How far a room is indexed: messages up to `seq`, changes up to `rev`.
    struct Progress: Sendable, Equatable {
        var seq: Int64
        var rev: Int64
    }

    /// A message as it is now.
    struct Message: Sendable {
        let room: RoomID
        let message: SearchableMessage
        /// The revision of its last change.
        let rev: Int64
        let isDeleted: Bool
    }

    let key: RoomKey
    var room: RoomID { key.id }
    var workspace: WorkspaceID { key.workspace }
    private let head: Progress
    /// The progress after the step.
    private(set) var progress: Progress
    /// New messages, then changed ones.
    private(set) var messages: [Message] = []
    private(set) var isLast = true

    /// Takes the next messages and changes, at most `limit` of each; fewer are all that there are.
    mutating func take(added: [Message], changed: [Message], limit: Int) {
        // A message of the room may be erased, so the last one read may stand before the head.
        progress.seq = added.count < limit ? max(head.seq, added.last?.message.seq ?? 0) : added[limit - 1].message.seq
        progress.rev = changed.count < limit ? max(head.rev, changed.last?.rev ?? 0) : changed[limit - 1].rev
        isLast = added.count < limit && changed.count < limit
        messages = added + changed
    }

    /// The entries to write.
    var entries: [SearchEntry] {
        messages.filter { !$0.isDeleted }.map { SearchEntry($0.message, of: room, in: workspace) }
    }
}

extension SearchIndexStep {
    /// Reads the columns workspace, kind, room, seq and rev of the progress, seq and rev of the room.
    init(row: inout Row) throws(PostgresError) {
        key = try row.nextRoomKey()
        progress = Progress(seq: try row.next(), rev: try row.next())
        head = Progress(seq: try row.next(), rev: try row.next())
    }
}

extension SearchIndexStep.Message {
    init(row: inout Row) throws(PostgresError) {
        room = try row.nextRoom()
        message = SearchableMessage(
            seq: try row.next(), author: try row.next(), content: try row.next(), files: try row.next(),
            createdAt: try row.next(), hasReactions: try row.next())
        rev = try row.next()
        isDeleted = try row.next()
    }
}

import EventLoop
import Postgres
import ServiceKit
import Wire

/// Notes which rows of the outbox have been told, many at a time: nobody waits for it,
/// and what is not noted is told again.
final class OutboxStore: Sendable {
    private let database: PostgresPool
    private let notes: LoopLocal<Notes>

    private static let note = Statement.write(
        "note told batches",
        """
        update outbox set published_at = (extract(epoch from clock_timestamp()) * 1000)::bigint, entry = told.entry
        from unnest($1::bigint[], $2::text[]) as told (id, entry) where outbox.id = told.id
        """)
    private static let pause = Duration.milliseconds(50)

    /// - Note: Confined to its loop, as every value of a `LoopLocal`.
    private final class Notes {
        var rows: [Int64] = []
        var entries: [String] = []
        var isDue = false
    }

    init(database: PostgresPool, on loops: EventLoopGroup) {
        self.database = database
        notes = LoopLocal(loops) { _ in Notes() }
    }

    /// The row has been told, with this entry of the stream.
    func noteTold(_ row: Int64, _ entry: String) {
        guard let loop = EventLoop.current else { return }
        let notes = notes.current
        notes.rows.append(row)
        notes.entries.append(entry)
        guard !notes.isDue else { return }
        notes.isDue = true
        loop.schedule(after: Self.pause) { [self] in flush(notes, on: loop) }
    }

    private func flush(_ notes: Notes, on loop: EventLoop) {
        let (rows, entries) = (notes.rows, notes.entries)
        notes.rows.removeAll(keepingCapacity: true)
        notes.entries.removeAll(keepingCapacity: true)
        notes.isDue = false
        Task.immediate(executorPreference: loop) { [database] in
            _ = try? await database.execute(Self.note, rows, entries)
        }
    }
}

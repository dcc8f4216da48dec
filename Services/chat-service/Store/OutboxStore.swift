import EventLoop
import Postgres
import ServiceKit
import Wire

/// Marks rows of the outbox as published, many at a time. Callers do not wait for it; a row that is not marked is
/// published again.
final class OutboxStore: Sendable {
    private let database: PostgresPool
    private let published: LoopLocal<PublishedRows>

    private static let mark = Statement.write(
        "mark published batches",
        """
        update outbox set published_at = (extract(epoch from clock_timestamp()) * 1000)::bigint, entry = published.entry
        from unnest($1::bigint[], $2::text[]) as published (id, entry) where outbox.id = published.id
        """)
    private static let pause = Duration.milliseconds(50)

    /// Rows to mark with the next statement.
    ///
    /// - Note: Loop-local, like every value of a `LoopLocal`.
    private final class PublishedRows {
        var ids: [Int64] = []
        var entries: [String] = []
        var isScheduled = false
    }

    init(database: PostgresPool, on loops: EventLoopGroup) {
        self.database = database
        published = LoopLocal(loops) { _ in PublishedRows() }
    }

    /// Marks a row as published, with the id of its stream entry.
    func markPublished(_ row: Int64, _ entry: String) {
        guard let loop = EventLoop.current else { return }
        let rows = published.current
        rows.ids.append(row)
        rows.entries.append(entry)
        guard !rows.isScheduled else { return }
        rows.isScheduled = true
        loop.schedule(after: Self.pause) { [self] in flush(rows, on: loop) }
    }

    private func flush(_ rows: PublishedRows, on loop: EventLoop) {
        let (ids, entries) = (rows.ids, rows.entries)
        rows.ids.removeAll(keepingCapacity: true)
        rows.entries.removeAll(keepingCapacity: true)
        rows.isScheduled = false
        Task.immediate(executorPreference: loop) { [database] in
            _ = try? await database.execute(Self.mark, ids, entries)
        }
    }
}

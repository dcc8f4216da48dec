import EventLoop
import Postgres
import ServiceKit
import Synchronization
import Wire

/// Marks rows of the outbox as published, many at a time. Callers do not wait for it; a row that is not marked is
/// published again.
final class OutboxStore: Sendable {
    private let database: PostgresPool
    private let loop: EventLoop
    private let published = Mutex(PublishedRows())

    private static let mark = Statement.write(
        "mark published batches",
        """
        update outbox set published_at = (extract(epoch from clock_timestamp()) * 1000)::bigint, entry = published.entry
        from unnest($1::bigint[], $2::text[]) as published (id, entry) where outbox.id = published.id
        """)
    private static let pause = Duration.milliseconds(50)

    /// Rows to mark with the next statement.
    private struct PublishedRows {
        var ids: [Int64] = []
        var entries: [String] = []
    }

    /// - Parameter loop: runs the statements.
    init(database: PostgresPool, on loop: EventLoop) {
        self.database = database
        self.loop = loop
    }

    /// Marks a row as published, with the id of its stream entry.
    func markPublished(_ row: Int64, _ entry: String) {
        let isFirst = published.withLock { rows in
            rows.ids.append(row)
            rows.entries.append(entry)
            return rows.ids.count == 1
        }
        guard isFirst else { return }
        loop.execute { [self] in _ = loop.schedule(after: Self.pause) { [self] in flush() } }
    }

    private func flush() {
        let rows = published.withLock { rows in
            defer { rows = PublishedRows() }
            return rows
        }
        Task.immediate(executorPreference: loop) { [database] in
            _ = try? await database.execute(Self.mark, rows.ids, rows.entries)
        }
    }
}

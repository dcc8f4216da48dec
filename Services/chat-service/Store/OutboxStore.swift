import EventLoop
import Postgres
import Redis
import ServiceKit
import Synchronization
import Wire

/// Marks rows of the outbox as published, many at a time. Callers do not wait for it; a row that is not marked is
/// published again. In an outbox that is divided by workspace, each statement is for one workspace.
final class OutboxStore: Sendable {
    private let database: PostgresPool
    private let loop: EventLoop
    private let isDivided: Bool
    private let mark: Statement
    private let published = Mutex<[WorkspaceID: PublishedRows]>([:])

    private static let pause = Duration.milliseconds(50)

    /// Rows to mark with the next statement.
    private struct PublishedRows {
        var ids: [Int64] = []
        var entries: [String] = []

        mutating func add(_ row: Int64, _ entry: String) {
            ids.append(row)
            entries.append(entry)
        }
    }

    /// - Parameter loop: runs the statements.
    init(database: PostgresPool, on loop: EventLoop, isDivided: Bool) {
        self.database = database
        self.loop = loop
        self.isDivided = isDivided
        mark = OutboxStatements.of(isDivided: isDivided).markPublished
    }

    /// Marks a row as published, with the id of its stream entry.
    ///
    /// - Parameter workspace: that of a message in the row.
    func markPublished(_ row: Int64, _ entry: String, of workspace: WorkspaceID) {
        let isFirst = published.withLock { published in
            defer {
                published[isDivided ? workspace : WorkspaceID(0), default: PublishedRows()].add(row, entry)
            }
            return published.isEmpty
        }
        guard isFirst else { return }
        loop.execute { [self] in _ = loop.schedule(after: Self.pause) { [self] in flush() } }
    }

    private func flush() {
        let published = published.withLock { published in
            defer { published = [:] }
            return published
        }
        for (workspace, rows) in published {
            Task.immediate(executorPreference: loop) { [database, mark] in
                _ = try? await database.execute(mark, rows.ids, rows.entries, workspace)
            }
        }
    }
}

extension Redis {
    /// The relays of all instances have looked for lost entries by then: an attempt to connect comes every second, and may take two.
    private static let timeOfChecks = Duration.seconds(5)

    /// Whether a relay may still have to look for lost entries, which it does once all servers are there. It looks for the entry of the row
    /// that was published last, so the mark of a later row would hide a loss.
    func mayHaveLostEntries(of streams: OutboxStreams) -> Bool {
        streams.keys.contains { timeSinceReturn(of: $0).map { $0 < Self.timeOfChecks } ?? false }
    }
}

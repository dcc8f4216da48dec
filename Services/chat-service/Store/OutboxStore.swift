import EventLoop
import Postgres
import Redis
import ServiceKit
import Wire

/// Marks rows of the outbox as published, many at a time. Callers do not wait for it; a row that is not marked is
/// published again. In an outbox that is divided by workspace, each statement is for one workspace.
///
/// A mark waits until a check for lost entries has ended by the connections that appended the row's entry. It would hide a loss before.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class OutboxStore: @unchecked Sendable {
    private let database: PostgresPool
    private let redis: Redis
    private let lostEntries: LostEntryCheck
    private let loop: EventLoop
    private let isDivided: Bool
    private let mark: Statement
    private var published = Batch()
    /// Rows that were marked, and have to wait again if Redis has lost their entries.
    private var marked: [MarkedRows] = []

    private static let pause = Duration.milliseconds(50)
    /// More rows that wait for a check are not marked.
    private static let mostRows = 100_000

    /// Rows to mark with the next statements. The same connections appended their entries.
    private struct Batch {
        var connections = RedisState.connecting
        var count = 0
        var rows: [WorkspaceID: PublishedRows] = [:]
    }

    /// The rows of one statement.
    private struct MarkedRows {
        let rows: PublishedRows
        let workspace: WorkspaceID
        /// The connections that appended their entries.
        let connections: RedisState
    }

    /// - Parameters:
    ///   - redis: has the streams.
    ///   - loop: publishes the rows and runs the statements.
    init(database: PostgresPool, redis: Redis, lostEntries: LostEntryCheck, on loop: EventLoop, isDivided: Bool) {
        self.database = database
        self.redis = redis
        self.lostEntries = lostEntries
        self.loop = loop
        self.isDivided = isDivided
        mark = OutboxStatements.of(isDivided: isDivided).markPublished
    }

    /// Marks a row as published, with the id of its stream entry. To be called on the loop.
    ///
    /// - Parameters:
    ///   - workspace: that of a message in the row.
    ///   - connections: the state of Redis on the loop before the entry was appended. If it has changed since, the row is not marked.
    func markPublished(_ row: Int64, _ entry: String, of workspace: WorkspaceID, appendedBy connections: RedisState) {
        guard connections.isConnected, redis.state == connections else { return }
        let isFirst = published.rows.isEmpty
        if published.connections != connections { published = Batch(connections: connections) }
        guard published.count < Self.mostRows else { return }
        published.count += 1
        published.rows[isDivided ? workspace : WorkspaceID(0), default: PublishedRows()].add(row, entry)
        if isFirst { flushLater() }
    }

    private func flushLater() {
        loop.schedule(after: Self.pause) { [self] in flush() }
    }

    private func flush() {
        let connections = published.connections
        let isCovered = lostEntries.covers(connections, on: loop)
        if !isCovered, redis.state == connections { return flushLater() }
        let rows = published.rows
        published = Batch(connections: connections)
        // The entries of connections that are lost may be lost as well.
        guard isCovered else { return }
        for (workspace, rows) in rows {
            Task.immediate(executorPreference: loop) { [self] in
                _ = try? await database.execute(mark, rows.ids, rows.entries, workspace)
                // The marks may be stored even if the statement has failed.
                confirmLater(MarkedRows(rows: rows, workspace: workspace, connections: connections))
            }
        }
    }

    /// The servers are asked once about the rows of many workspaces.
    private func confirmLater(_ rows: MarkedRows) {
        marked.append(rows)
        guard marked.count == 1 else { return }
        loop.schedule(after: Self.pause) { [self] in
            Task.immediate(executorPreference: loop) { [self] in await confirm() }
        }
    }

    private func confirm() async {
        let marked = marked
        self.marked = []
        let connections = redis.state
        let isAnswered = await lostEntries.isAnswered(by: connections)
        for lost in marked where !isAnswered || lost.connections != connections {
            Task.immediate(executorPreference: loop) { [lostEntries] in
                try? await lostEntries.publishAgain(lost.rows, of: lost.workspace.rawValue)
            }
        }
    }
}

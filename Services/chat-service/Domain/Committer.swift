import Contract
import EventLoop
import Telemetry
import Wire

/// Writes the messages of all loops in batches and publishes them after their commit.
///
/// One loop commits for all loops: batches of several loops would wait for each other's room locks, and would be
/// smaller. Messages cross to that loop together, those of one turn of a loop at a time.
///
/// - Note: `@unchecked Sendable` because everything except `enqueue` runs on its loop.
final class Committer: @unchecked Sendable {
    typealias Waiter = CheckedContinuation<SendOutcome, any Error>
    typealias Entry = SendQueue<Waiter>.Entry

    private let loop: EventLoop
    private let writer: MessageWriter
    private let publisher: MessagePublisher
    private let changes: ChangePublisher
    private let indexer: SearchIndexer
    private let webhooks: WebhookWatch
    private let heads: KnownHeads?
    private var queues: CommitQueues<PendingMessage, Waiter>
    private var rooms = KnownRooms(limit: 100_000)

    /// - Parameters:
    ///   - changes: publishes the roots of threads with new replies; it is on the same loop.
    ///   - heads: learns the heads of the rooms that are written to.
    init(
        on loop: EventLoop, writer: MessageWriter, publisher: MessagePublisher, changes: ChangePublisher,
        indexer: SearchIndexer, webhooks: WebhookWatch, heads: KnownHeads?
    ) {
        self.loop = loop
        self.writer = writer
        self.publisher = publisher
        self.changes = changes
        self.indexer = indexer
        self.webhooks = webhooks
        self.heads = heads
        queues = CommitQueues(isDivided: writer.isDivided)
    }

    /// Queues messages from any loop; each waiter resumes after its message's commit.
    func enqueue(_ entries: [Entry]) {
        if loop.isCurrent { return add(entries) }
        loop.execute { [self] in add(entries) }
    }

    private func add(_ entries: [Entry]) {
        for entry in entries where !queues.add(entry.item, entry.waiter) {
            entry.waiter.resume(throwing: Failure.overloaded)
        }
        if writer.isDivided {
            for workspace in Set(entries.map(\.item.workspace)) { startCommits(of: workspace) }
        } else if let first = entries.first {
            startCommits(of: first.item.workspace)
        }
    }

    private func startCommits(of workspace: WorkspaceID) {
        while let batch = queues.nextBatch(of: workspace) {
            Task.immediate(executorPreference: loop) { [self] in await commit(batch) }
        }
    }

    private func commit(_ batch: [Entry]) async {
        let result = await write(batch)
        if batch.count > 1, case .failure(.rejected) = result {
            // Nothing took effect. Written one by one, only the rejected messages fail.
            for entry in batch { finish([entry], await write([entry])) }
            startNext(after: batch)
        } else {
            // The database works on the next batch while this one is published.
            startNext(after: batch)
            finish(batch, result)
        }
    }

    private func startNext(after batch: [Entry]) {
        guard let workspace = batch.first?.item.workspace else { return }
        queues.committed(of: workspace)
        startCommits(of: workspace)
    }

    private func write(_ batch: [Entry]) async -> Result<MessageWriter.Result, BatchFailure> {
        indexer.commitLoad.begin()
        defer { indexer.commitLoad.end(of: batch.count) }
        let messages = batch.map(\.item)
        guard let trace = BatchTrace(of: messages) else { return await write(messages) }
        let result = await CallContext.$current.withValue(trace.context) { await write(messages) }
        trace.end(hasFailed: !result.isSuccess)
        return result
    }

    private func write(_ messages: [PendingMessage]) async -> Result<MessageWriter.Result, BatchFailure> {
        let hasNewRooms = messages.contains { !rooms.contains($0.room) }
        do throws(BatchFailure) {
            let result = try await writer.write(messages, newRooms: hasNewRooms, now: .now)
            if hasNewRooms { rooms.insert(messages.lazy.map(\.room)) }
            return .success(result)
        } catch {
            return .failure(error)
        }
    }

    private func finish(_ batch: [Entry], _ result: Result<MessageWriter.Result, BatchFailure>) {
        switch result {
        case .success(let result):
            if let heads { note(batch, result, in: heads) }
            for (entry, outcome) in zip(batch, result.outcomes) { entry.waiter.resume(returning: outcome) }
            // Publishing runs after the resumed senders, so that it does not delay their replies.
            loop.executeAtEndOfTurn { [publisher, changes, indexer, webhooks, loop] in
                let messages = batch.map(\.item)
                publisher.publish(messages, result, on: loop)
                if !result.roots.isEmpty { changes.publish(result.roots, in: messages.targets, row: result.rootsRow) }
                indexer.wake(for: messages.lazy.map(\.roomKey))
                webhooks.changed(messages.lazy.map(\.workspace))
            }
        case .failure(let failure):
            for entry in batch { entry.waiter.resume(throwing: failure) }
        }
    }

    private func note(_ batch: [Entry], _ result: MessageWriter.Result, in heads: KnownHeads) {
        for (entry, outcome) in zip(batch, result.outcomes) {
            if case .written(let written) = outcome { heads.note(entry.item.room, seq: written.seq, rev: written.rev) }
        }
        for root in result.roots { heads.note(root.key.room, rev: root.details.rev) }
    }
}

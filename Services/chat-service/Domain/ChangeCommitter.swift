import Contract
import EventLoop
import Wire

/// Writes the changes of all loops in batches and publishes them after their commit, as `Committer` does for messages.
/// Changes that wait during a commit form the next batch.
///
/// - Note: `@unchecked Sendable` because everything except `apply` runs on its loop.
final class ChangeCommitter: @unchecked Sendable {
    private typealias Waiter = CheckedContinuation<ChangeOutcome, any Error>
    private typealias Entry = CommitQueue<PendingChange, Waiter>.Entry

    private let loop: EventLoop
    private let writer: ChangeWriter
    private let publisher: ChangePublisher
    private let indexer: SearchIndexer
    private let webhooks: WebhookWatch
    private let heads: KnownHeads?
    private var queues: CommitQueues<PendingChange, Waiter>

    init(
        on loop: EventLoop, writer: ChangeWriter, publisher: ChangePublisher, indexer: SearchIndexer,
        webhooks: WebhookWatch, heads: KnownHeads?, isDivided: Bool = false
    ) {
        self.loop = loop
        self.writer = writer
        self.publisher = publisher
        self.indexer = indexer
        self.webhooks = webhooks
        self.heads = heads
        queues = CommitQueues(isDivided: isDivided)
    }

    /// Returns after the change's commit. To be called on any loop.
    func apply(_ change: PendingChange) async throws -> ChangeOutcome {
        try await withCheckedThrowingContinuation { waiter in
            if loop.isCurrent { return add(change, waiter) }
            loop.execute { [self] in add(change, waiter) }
        }
    }

    private func add(_ change: PendingChange, _ waiter: Waiter) {
        guard queues.add(change, waiter) else { return waiter.resume(throwing: Failure.overloaded) }
        startCommits(of: change.workspace)
    }

    private func startCommits(of workspace: WorkspaceID) {
        while let batch = queues.nextBatch(of: workspace) { begin(batch) }
    }

    private func begin(_ batch: [Entry]) {
        Task.immediate(executorPreference: loop) { [self] in
            let result = await write(batch)
            if batch.count > 1, case .failure(.rejected) = result {
                // Nothing took effect. Written one by one, only the rejected changes fail.
                for entry in batch { finish([entry], await write([entry])) }
            } else {
                finish(batch, result)
            }
            guard let workspace = batch.first?.item.workspace else { return }
            queues.committed(of: workspace)
            startCommits(of: workspace)
        }
    }

    private func write(_ batch: [Entry]) async -> Result<ChangeWriter.Result, BatchFailure> {
        do throws(BatchFailure) {
            return .success(try await writer.write(batch.map(\.item), now: .now))
        } catch {
            return .failure(error)
        }
    }

    private func finish(_ batch: [Entry], _ result: Result<ChangeWriter.Result, BatchFailure>) {
        switch result {
        case .success(let result):
            for message in result.changed { heads?.note(message.key.room, rev: message.details.rev) }
            for (entry, outcome) in zip(batch, result.outcomes) { entry.waiter.resume(returning: outcome) }
            let targets = Dictionary(batch.map { ($0.item.target.room, $0.item.target) }) { first, _ in first }
            publisher.publish(result.changed, in: targets, row: result.outboxRow)
            indexer.wake(for: targets.values.lazy.map(\.key))
            webhooks.changed(targets.values.lazy.map(\.workspace))
        case .failure(let failure):
            for entry in batch { entry.waiter.resume(throwing: failure.cause) }
        }
    }
}

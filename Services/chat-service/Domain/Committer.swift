import Contract
import EventLoop
import Postgres
import Wire

/// Writes the drafts of one loop in batches and tells of them when they are committed.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop, as every value of a `LoopLocal`.
final class Committer: @unchecked Sendable {
    private typealias Waiter = CheckedContinuation<SendOutcome, any Error>

    private let loop: EventLoop
    private let writer: MessageWriter
    private let announcer: Announcer
    private var queue = SendQueue<Waiter>()
    private var knownRooms: Set<RoomID> = []

    private static let mostKnownRooms = 100_000

    init(on loop: EventLoop, writer: MessageWriter, announcer: Announcer) {
        self.loop = loop
        self.writer = writer
        self.announcer = announcer
    }

    /// Returns when the draft's commit has ended.
    func send(_ draft: Draft) async throws -> SendOutcome {
        try await withCheckedThrowingContinuation { waiter in
            if queue.add(draft, waiter) { pump() } else { waiter.resume(throwing: Failure.overloaded) }
        }
    }

    private func pump() {
        while let batch = queue.nextBatch() {
            Task.immediate(executorPreference: loop) { [self] in
                await commit(batch)
                queue.committed()
                pump()
            }
        }
    }

    private func commit(_ batch: [SendQueue<Waiter>.Entry]) async {
        do {
            finish(batch, try await write(batch))
        } catch let error as PostgresError where error.kind == .server && batch.count > 1 {
            // Nothing took effect; whoever is to blame fails alone.
            for entry in batch { await commit([entry]) }
        } catch {
            for entry in batch { entry.waiter.resume(throwing: error) }
        }
    }

    private func write(_ batch: [SendQueue<Waiter>.Entry]) async throws -> MessageWriter.Result {
        let drafts = batch.map(\.draft)
        let newRooms = drafts.contains { !knownRooms.contains($0.room) }
        let result = try await writer.write(drafts, newRooms: newRooms, now: .now)
        if knownRooms.count > Self.mostKnownRooms { knownRooms.removeAll() }
        knownRooms.formUnion(drafts.lazy.map(\.room))
        return result
    }

    private func finish(_ batch: [SendQueue<Waiter>.Entry], _ result: MessageWriter.Result) {
        announcer.announce(batch.map(\.draft), result)
        for (entry, outcome) in zip(batch, result.outcomes) { entry.waiter.resume(returning: outcome) }
    }
}

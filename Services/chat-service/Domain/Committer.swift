import Contract
import EventLoop
import Postgres
import Wire

/// Writes the drafts of all loops in batches and tells of them when they are committed.
///
/// One loop commits for all: batches of several loops would wait for each other's rooms, and be smaller.
/// What crosses to it crosses together, the drafts of one turn of a loop at a time.
///
/// - Note: `@unchecked Sendable` because all but `take` is confined to its loop.
final class Committer: @unchecked Sendable {
    typealias Waiter = CheckedContinuation<SendOutcome, any Error>
    typealias Entry = SendQueue<Waiter>.Entry

    private let loop: EventLoop
    private let writer: MessageWriter
    private let publisher: MessagePublisher
    private var queue = SendQueue<Waiter>()
    private var knownRooms: Set<RoomID> = []

    private static let mostKnownRooms = 100_000

    init(on loop: EventLoop, writer: MessageWriter, publisher: MessagePublisher) {
        self.loop = loop
        self.writer = writer
        self.publisher = publisher
    }

    /// Takes drafts from any loop; each waiter is told when its draft's commit has ended.
    func take(_ entries: [Entry]) {
        if EventLoop.current === loop { return add(entries) }
        loop.execute { [self] in add(entries) }
    }

    private func add(_ entries: [Entry]) {
        for entry in entries where !queue.add(entry.draft, entry.waiter) {
            entry.waiter.resume(throwing: Failure.overloaded)
        }
        pump()
    }

    private func pump() {
        while let batch = queue.nextBatch() {
            Task.immediate(executorPreference: loop) { [self] in await commit(batch) }
        }
    }

    private func commit(_ batch: [Entry]) async {
        let outcome = await attempt(batch)
        if batch.count > 1, case .failure(let error as PostgresError) = outcome, error.kind == .server {
            // Nothing took effect; whoever is to blame fails alone.
            for entry in batch { finish([entry], await attempt([entry])) }
            startNext()
        } else {
            // The database works on the next batch while this one is told of.
            startNext()
            finish(batch, outcome)
        }
    }

    private func startNext() {
        queue.committed()
        pump()
    }

    private func attempt(_ batch: [Entry]) async -> Result<MessageWriter.Result, any Error> {
        do { return .success(try await write(batch)) } catch { return .failure(error) }
    }

    private func write(_ batch: [Entry]) async throws -> MessageWriter.Result {
        let drafts = batch.map(\.draft)
        let newRooms = drafts.contains { !knownRooms.contains($0.room) }
        let result = try await writer.write(drafts, newRooms: newRooms, now: .now)
        if knownRooms.count > Self.mostKnownRooms { knownRooms.removeAll() }
        if newRooms { knownRooms.formUnion(drafts.lazy.map(\.room)) }
        return result
    }

    private func finish(_ batch: [Entry], _ outcome: Result<MessageWriter.Result, any Error>) {
        switch outcome {
        case .success(let result):
            for (entry, outcome) in zip(batch, result.outcomes) { entry.waiter.resume(returning: outcome) }
            // Behind the replies: those who got one work on while this is told.
            loop.atEndOfTick { [publisher] in publisher.publish(batch.map(\.draft), result) }
        case .failure(let error):
            for entry in batch { entry.waiter.resume(throwing: error) }
        }
    }
}

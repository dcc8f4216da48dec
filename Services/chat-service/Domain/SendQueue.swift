import EventLoop
import Wire

/// Forms batches for group commit: messages that arrive during a commit form the next batch. A second batch starts as
/// soon as it is at least as large as the one under way, so that the database goes from one to the next without a
/// pause.
///
/// Sans-I/O: it decides which messages share a batch, and the caller writes the batches in this order. Two messages of
/// one author with the same `clientID` in one room never share a batch: the second waits for the outcome of the first.
struct SendQueue<Waiter: Sendable> {
    struct Entry: Sendable {
        let message: PendingMessage
        let waiter: Waiter
    }

    private struct IdempotencyKey: Hashable {
        let room: RoomID
        let author: UserID
        let clientID: String
    }

    private var waiting: [Entry] = []
    private var openCommits = 0
    /// Messages in the batch that was started last.
    private var lastSize = 0
    private let maxCommits: Int
    private let maxBatch: Int
    private let limit: Int

    /// - Parameters:
    ///   - maxCommits: concurrent commits.
    ///   - maxBatch: messages in a batch.
    ///   - limit: messages that may wait; further ones are refused.
    init(maxCommits: Int = 2, maxBatch: Int = 256, limit: Int = 8192) {
        self.maxCommits = maxCommits
        self.maxBatch = maxBatch
        self.limit = limit
    }

    /// Queues a message; returns false if too many wait.
    mutating func add(_ message: PendingMessage, _ waiter: Waiter) -> Bool {
        guard waiting.count < limit else { return false }
        waiting.append(Entry(message: message, waiter: waiter))
        return true
    }

    /// The batch to write now; nil if nothing waits or enough commits are under way.
    mutating func nextBatch() -> [Entry]? {
        guard openCommits < maxCommits, !waiting.isEmpty else { return nil }
        guard openCommits == 0 || waiting.count >= lastSize else { return nil }
        var batch: [Entry] = []
        var left: [Entry] = []
        var keys: Set<IdempotencyKey> = []
        for (index, entry) in waiting.enumerated() {
            if batch.count == maxBatch {
                left += waiting[index...]
                break
            }
            let key = entry.message.clientID.map {
                IdempotencyKey(room: entry.message.room, author: entry.message.author, clientID: $0)
            }
            if let key, !keys.insert(key).inserted { left.append(entry) } else { batch.append(entry) }
        }
        waiting = left
        openCommits += 1
        lastSize = batch.count
        return batch
    }

    /// Records the end of a commit, successful or not.
    mutating func committed() { openCommits -= 1 }
}

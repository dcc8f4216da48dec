import Wire

/// An item that a `CommitQueue` puts into batches: a message or a change.
protocol CommitItem: Sendable {
    associatedtype BatchKey: Hashable
    var workspace: WorkspaceID { get }
    /// Two items with the same key never share a batch; an item without a key shares with all.
    var batchKey: BatchKey? { get }
}

/// Forms batches for group commit: items that arrive during a commit form the next batch. A second batch starts as soon
/// as it is at least as large as the one under way, so that the database goes from one to the next without a pause.
///
/// Sans-I/O: it decides which items share a batch, and the caller writes the batches in this order. The second of two
/// items with the same key waits for the outcome of the first.
struct CommitQueue<Item: CommitItem, Waiter: Sendable> {
    struct Entry: Sendable {
        let item: Item
        let waiter: Waiter
    }

    private var waiting: [Entry] = []
    private var openCommits = 0
    /// Items in the batch that was started last.
    private var lastSize = 0
    private let maxCommits: Int
    private let maxBatch: Int
    private let limit: Int

    /// - Parameters:
    ///   - maxCommits: concurrent commits.
    ///   - maxBatch: items in a batch.
    ///   - limit: items that may wait; further ones are refused.
    init(maxCommits: Int = 2, maxBatch: Int = 256, limit: Int = 8192) {
        self.maxCommits = maxCommits
        self.maxBatch = maxBatch
        self.limit = limit
    }

    /// Queues an item; returns false if too many wait.
    mutating func add(_ item: Item, _ waiter: Waiter) -> Bool {
        guard waiting.count < limit else { return false }
        waiting.append(Entry(item: item, waiter: waiter))
        return true
    }

    /// The batch to write now; nil if nothing waits or enough commits are under way.
    mutating func nextBatch() -> [Entry]? {
        guard openCommits < maxCommits, !waiting.isEmpty else { return nil }
        guard openCommits == 0 || waiting.count >= lastSize else { return nil }
        var batch: [Entry] = []
        var left: [Entry] = []
        var keys: Set<Item.BatchKey> = []
        for (index, entry) in waiting.enumerated() {
            if batch.count == maxBatch {
                left += waiting[index...]
                break
            }
            if let key = entry.item.batchKey, !keys.insert(key).inserted {
                left.append(entry)
            } else {
                batch.append(entry)
            }
        }
        waiting = left
        openCommits += 1
        lastSize = batch.count
        return batch
    }

    /// Records the end of a commit, successful or not.
    mutating func committed() { openCommits -= 1 }

    /// Whether nothing waits and no commit is under way.
    var isIdle: Bool { openCommits == 0 && waiting.isEmpty }
}

/// The queue of sends.
typealias SendQueue<Waiter: Sendable> = CommitQueue<PendingMessage, Waiter>

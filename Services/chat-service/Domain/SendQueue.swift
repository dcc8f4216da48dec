import EventLoop
import Wire

/// Gathers drafts while a commit is under way: they form the next batch. Once that is as large as the one under way it goes,
/// too: the database passes from one to the next without a pause, and no batch is smaller for it.
///
/// Sans-I/O: it says which drafts go together and the caller writes them, in this order. Two drafts of one author under one
/// `clientID` in one room never go in one batch: the second waits for what becomes of the first.
struct SendQueue<Waiter: Sendable> {
    struct Entry: Sendable {
        let draft: Draft
        let waiter: Waiter
    }

    private struct Name: Hashable {
        let room: RoomID
        let author: UserID
        let clientID: String
    }

    private var waiting: [Entry] = []
    private var commits = 0
    /// Drafts in the batch that went last.
    private var lastSize = 0
    private let mostCommits: Int
    private let largestBatch: Int
    private let limit: Int

    /// - Parameters:
    ///   - mostCommits: commits under way at once.
    ///   - largestBatch: drafts in one.
    ///   - limit: drafts that may wait; more are refused.
    init(mostCommits: Int = 2, largestBatch: Int = 256, limit: Int = 8192) {
        self.mostCommits = mostCommits
        self.largestBatch = largestBatch
        self.limit = limit
    }

    /// Takes a draft; false when too many wait.
    mutating func add(_ draft: Draft, _ waiter: Waiter) -> Bool {
        guard waiting.count < limit else { return false }
        waiting.append(Entry(draft: draft, waiter: waiter))
        return true
    }

    /// The batch to write now; nil when nothing waits or enough is under way.
    mutating func nextBatch() -> [Entry]? {
        guard commits < mostCommits, !waiting.isEmpty else { return nil }
        guard commits == 0 || waiting.count >= lastSize else { return nil }
        var batch: [Entry] = []
        var left: [Entry] = []
        var names: Set<Name> = []
        for (index, entry) in waiting.enumerated() {
            if batch.count == largestBatch {
                left += waiting[index...]
                break
            }
            let name = entry.draft.clientID.map {
                Name(room: entry.draft.room, author: entry.draft.author, clientID: $0)
            }
            if let name, !names.insert(name).inserted { left.append(entry) } else { batch.append(entry) }
        }
        waiting = left
        commits += 1
        lastSize = batch.count
        return batch
    }

    /// A commit has ended, well or not.
    mutating func committed() { commits -= 1 }
}

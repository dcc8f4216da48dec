import Wire

/// The queue of all items, or one for each workspace if the schema is divided by workspace. Then a batch is of one workspace, and a
/// workspace with rows out of reach holds up no others. One batch of a workspace is under way at a time, so that batches on several
/// connections keep their order.
struct CommitQueues<Item: CommitItem, Waiter: Sendable> {
    typealias Entry = CommitQueue<Item, Waiter>.Entry

    private var joint = CommitQueue<Item, Waiter>()
    private var divided: [WorkspaceID: CommitQueue<Item, Waiter>] = [:]
    private let isDivided: Bool

    init(isDivided: Bool) { self.isDivided = isDivided }

    /// Queues an item; returns false if too many wait.
    mutating func add(_ item: Item, _ waiter: Waiter) -> Bool {
        if isDivided { return divided[item.workspace, default: CommitQueue(maxCommits: 1)].add(item, waiter) }
        return joint.add(item, waiter)
    }

    /// The batch to write now, of the queue that has the items of a workspace.
    mutating func nextBatch(of workspace: WorkspaceID) -> [Entry]? {
        isDivided ? divided[workspace]?.nextBatch() : joint.nextBatch()
    }

    /// Records the end of a commit of the queue that has the items of a workspace.
    mutating func committed(of workspace: WorkspaceID) {
        if !isDivided { return joint.committed() }
        divided[workspace]?.committed()
        if divided[workspace]?.isIdle == true { divided[workspace] = nil }
    }
}

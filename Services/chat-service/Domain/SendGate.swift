import EventLoop

/// Where the sends of one loop go to be committed: those of one turn of the loop go together.
///
/// - Note: Confined to its loop, as every value of a `LoopLocal`.
final class SendGate {
    private let loop: EventLoop
    private let committer: Committer
    private var gathered: [Committer.Entry] = []

    init(on loop: EventLoop, to committer: Committer) {
        self.loop = loop
        self.committer = committer
    }

    /// Returns when the draft's commit has ended.
    func send(_ draft: Draft) async throws -> SendOutcome {
        try await withCheckedThrowingContinuation { waiter in
            if gathered.isEmpty { loop.atEndOfTick { [self] in handOver() } }
            gathered.append(Committer.Entry(draft: draft, waiter: waiter))
        }
    }

    private func handOver() {
        let entries = gathered
        gathered.removeAll(keepingCapacity: true)
        committer.take(entries)
    }
}

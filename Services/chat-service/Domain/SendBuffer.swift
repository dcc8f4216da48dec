import EventLoop

/// Collects the sends of one loop and passes them to the committer together, once a turn of the loop.
///
/// - Note: Loop-local, like every value of a `LoopLocal`.
final class SendBuffer {
    private let loop: EventLoop
    private let committer: Committer
    private var entries: [Committer.Entry] = []

    init(on loop: EventLoop, to committer: Committer) {
        self.loop = loop
        self.committer = committer
    }

    /// Returns after the message's commit.
    func send(_ message: PendingMessage) async throws -> SendOutcome {
        try await withCheckedThrowingContinuation { waiter in
            if entries.isEmpty { loop.atEndOfTick { [self] in flush() } }
            entries.append(Committer.Entry(item: message, waiter: waiter))
        }
    }

    private func flush() {
        let collected = entries
        entries.removeAll(keepingCapacity: true)
        committer.enqueue(collected)
    }
}

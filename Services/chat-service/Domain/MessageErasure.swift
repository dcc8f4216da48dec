import Contract
import Wire

/// Deletes the messages of a deleted account in batches. A batch is one transaction and one event, which tells gateways to
/// ask for the tombstones; those without a socket that hears changes need not ask.
struct MessageErasure: Sendable {
    let store: MessageErasureStore
    let messages: MessageStore
    let details: MessageDetailStore
    let attachments: Attachments
    let publisher: ChangePublisher
    let indexer: SearchIndexer
    let webhooks: WebhookWatch

    /// Deletes those of the messages that are the user's, with their files. Returns after the commit.
    func erase(_ seqs: [Int64], of user: UserID, in target: MessageTarget) async throws {
        guard let erased = try await store.erase(seqs, of: user, in: target.key, at: .now),
            let last = erased.changed.last
        else { return }
        if !erased.isIndexed { indexer.wake(for: CollectionOfOne(target.key)) }
        webhooks.changed(CollectionOfOne(target.workspace))
        var found = try await messages.find([last])
        try await details.fill(&found, for: .all)
        // If the room has been erased meanwhile, nobody hears of it.
        if let message = found.first {
            publisher.publish(message, in: target, othersAfter: erased.rev, row: erased.outboxRow)
        }
        if !erased.files.isEmpty { await attachments.discard(paths: erased.files, in: target.workspace) }
    }
}

import Contract
import ServiceKit
import Wire

/// Tells caches of blocks to ask again.
struct BlockPublisher: Sendable {
    let hints: RepeatedHints

    func changed(_ account: UserID, _ blocked: UserID) { hints.publish(BlockHint(user: account, blocked: blocked)) }
}

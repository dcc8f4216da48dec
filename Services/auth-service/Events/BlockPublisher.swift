import Contract
import Redis
import ServiceKit
import Wire

/// Tells caches of blocks to ask again.
struct BlockPublisher: Sendable {
    let redis: Redis

    func changed(_ account: UserID, _ blocked: UserID) { redis.publish(BlockHint(user: account, blocked: blocked)) }
}

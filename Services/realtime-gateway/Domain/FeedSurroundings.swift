import Contract
import EventLoop
import Redis
import Telemetry
import WebSocket

/// What the feeds of a node have in common.
struct FeedSurroundings: Sendable {
    let subscriber: RedisSubscriber
    let chat: ChatClient
    let heads: HeadComparison
    let positions: PositionStore
    /// Where a broadcast is compressed, once for all sockets of a loop.
    let compression: LoopLocal<CompressionPool>
    let metrics: GatewayMetrics
    let log: Log
}

import Contract
import EventLoop
import Redis
import ServiceKit
import Telemetry
import WebSocket
import Wire

/// What the feeds of a node have in common.
struct FeedSurroundings: Sendable {
    let subscriber: MessageSubscriber
    let chat: ChatClient
    let heads: HeadComparison
    /// The heads of rooms that begin to be heard.
    let openings: GatheredReads<RoomID, Int64>
    let positions: PositionStore
    /// How long a client may take nothing of what waits for it.
    let readerPatience: Duration
    /// Where a broadcast is compressed, once for all sockets of a loop.
    let compression: LoopLocal<CompressionPool>
    let metrics: GatewayMetrics
    let log: Log
}

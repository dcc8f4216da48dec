import Contract
import EventLoop
import ServiceKit
import Telemetry
import WebSocket
import Wire

/// The dependencies that all rooms of a node share.
struct ShardContext: Sendable {
    let subscriber: MessageSubscriber
    let chat: ChatClient
    let heads: HeadComparison
    /// Reads the heads of rooms that open; those out of reach are missing.
    let openings: GatheredReads<RoomID, RoomHead>
    let cursors: SessionCursorStore
    let blocks: LoopLocal<SocketBlocks>
    let publisher: RoomEventPublisher
    let me: MeContext
    /// A client that takes nothing for this long while output waits for it is cut off.
    let readerTimeout: Duration
    let rendering: EventRendering
    let metrics: GatewayMetrics
    let log: Log
}

import Contract
import EventLoop
import Redis
import Wire

/// Consumes on every loop the hints that concern its sockets beside the rooms: history cursors, and changes of access.
struct HintConsumer: Sendable {
    let shards: LoopLocal<GatewayShard>
    let subscriber: RedisSubscriber

    func start(on loops: EventLoopGroup) {
        for loop in loops.loops {
            loop.execute { [self] in
                let shard = shards.current
                _ = subscriber.listen(to: HintChannel.positions) { event in
                    if case .message(let bytes) = event { Self.historyReported(bytes, shard) }
                }
                _ = subscriber.listen(to: HintChannel.access) { event in
                    switch event {
                    case .message(let bytes): Self.accessChanged(bytes, shard)
                    case .gap: shard.accessUnknown()
                    case .confirmed, .lost: break
                    }
                }
            }
        }
    }

    private static func historyReported(_ hint: [UInt8], _ shard: GatewayShard) {
        guard let json = try? JSONValue(parsing: hint),
            let session = json["session"]?.string.flatMap(SessionID.init),
            let room = json["room"]?.string.flatMap(RoomID.init), let seq = json["seq"]?.int
        else { return }
        var left: ClosedRange<Int64>?
        if let first = json["left_from"]?.int, let last = json["left_through"]?.int, first <= last {
            left = Int64(first)...Int64(last)
        }
        shard.historyReported(session, room, Int64(seq), leaving: left)
    }

    private static func accessChanged(_ hint: [UInt8], _ shard: GatewayShard) {
        guard let json = try? JSONValue(parsing: hint) else { return }
        shard.accessChanged(
            user: json["user_id"]?.string.flatMap(UserID.init),
            channel: json["channel_id"]?.string.flatMap(ChannelID.init),
            workspace: json["workspace_id"]?.string.flatMap(WorkspaceID.init))
    }
}

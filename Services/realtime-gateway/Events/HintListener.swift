import Contract
import EventLoop
import Redis
import Wire

/// Hears on every loop what concerns its sockets beside the rooms: positions told by history, and changes of access.
struct HintListener: Sendable {
    let hubs: LoopLocal<LoopHub>
    let subscriber: RedisSubscriber

    func start(on loops: EventLoopGroup) {
        for loop in loops.loops {
            loop.execute { [self] in
                let hub = hubs.current
                _ = subscriber.listen(to: HintChannel.positions) { event in
                    if case .message(let bytes) = event { Self.positionTold(bytes, hub) }
                }
                _ = subscriber.listen(to: HintChannel.access) { event in
                    switch event {
                    case .message(let bytes): Self.accessChanged(bytes, hub)
                    case .gap: hub.accessUnknown()
                    case .confirmed, .lost: break
                    }
                }
            }
        }
    }

    private static func positionTold(_ hint: [UInt8], _ hub: LoopHub) {
        guard let json = try? JSONValue(parsing: hint),
            let session = json["session"]?.string.flatMap(SessionID.init),
            let room = json["room"]?.string.flatMap(RoomID.init), let seq = json["seq"]?.int
        else { return }
        hub.historyTold(session, room, Int64(seq))
    }

    private static func accessChanged(_ hint: [UInt8], _ hub: LoopHub) {
        guard let json = try? JSONValue(parsing: hint) else { return }
        hub.accessChanged(
            user: json["user_id"]?.string.flatMap(UserID.init),
            channel: json["channel_id"]?.string.flatMap(ChannelID.init),
            workspace: json["workspace_id"]?.string.flatMap(WorkspaceID.init))
    }
}

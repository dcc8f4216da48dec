import Contract
import EventLoop
import HTTP
import ServiceKit
import Wire

/// Tells operators how many sockets of this instance a recent message was sent to.
struct DeliveryRoutes: Sendable {
    let shards: LoopLocal<GatewayShard>
    let loops: EventLoopGroup

    func register(in routes: inout OperatorRoutes) { routes.show("/operator/deliveries/{room}/{seq}", show) }

    /// Sums up all loops. A message without `deliveredAt` was sent to no socket here if it is younger than `since`, and else
    /// may be forgotten.
    func show(_ call: InternalCall) async throws -> Response {
        guard let room = RoomID(try call.text("room")), let seq = Int64(try call.text("seq")), seq > 0 else {
            throw Failure.notFound
        }
        var found: [RecentDeliveries.Delivery] = []
        var since = Timestamp(milliseconds: 0)
        for loop in loops.loops {
            let (delivery, from) = try await loop.run { [shards] in
                let recent = shards.current.context.metrics.recent.current
                return (recent.find(seq, in: room), recent.since)
            }
            if let delivery { found.append(delivery) }
            since = max(since, from)
        }
        return call.reply { [found, since] json in
            json.object { json in
                json.field("room", room.description)
                json.field("seq", seq)
                json.field("since", since)
                json.field("sockets", Int(found.reduce(0) { $0 + $1.sockets }))
                if let first = found.map(\.at).min() { json.field("deliveredAt", first) }
            }
        }
    }
}

import Contract
import Redis
import ServiceKit

/// Publishes events of rooms that may be lost, for the gateways with sockets there.
struct RoomEventPublisher: Sendable {
    let redis: Redis

    func publish(_ event: RoomEvent) { redis.post(.publish(event)) }
}

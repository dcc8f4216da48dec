import Contract
import Telemetry
import Wire

/// The metrics of delivery.
struct GatewayMetrics: Sendable {
    let deliveries: Counter
    let changeDeliveries: Counter
    let heals: Counter
    private let lag: Histogram

    init(_ metrics: MetricsRegistry) {
        deliveries = metrics.counter("maru_deliveries_total", "Messages sent to sockets.")
        changeDeliveries = metrics.counter(
            "maru_change_deliveries_total", "Changes of messages sent to sockets.")
        heals = metrics.counter("maru_heals_total", "Backfills of a room's gap from chat-service.")
        lag = metrics.histogram(
            "maru_delivery_lag_seconds", "From a message's time to its fan-out.", labels: [:], buckets: .latency)
    }

    func delivered(_ message: RoomMessage, to count: UInt64) {
        deliveries.increment(by: count)
        lag.observe(max(.zero, Timestamp.now - message.body.createdAt))
    }
}

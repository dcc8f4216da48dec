import Contract
import EngineIO
import EventLoop
import Telemetry
import Wire

/// The metrics and traces of delivery.
struct GatewayMetrics: Sendable {
    let deliveries: Counter
    let changeDeliveries: Counter
    let heals: Counter
    /// The sockets that recent messages were sent to.
    let recent: LoopLocal<RecentDeliveries>
    private let lag: Histogram
    private let cutOff: [EngineEnding: Counter]
    private let namelessEnded: Counter
    private let tracer: Tracer?

    init(_ metrics: MetricsRegistry, on loops: EventLoopGroup, tracer: Tracer?) {
        self.tracer = tracer
        recent = LoopLocal(loops) { _ in RecentDeliveries(since: .now) }
        deliveries = metrics.counter("maru_deliveries_total", "Messages sent to sockets.")
        changeDeliveries = metrics.counter(
            "maru_change_deliveries_total", "Changes of messages sent to sockets.")
        heals = metrics.counter("maru_heals_total", "Backfills of a room's gap from chat-service.")
        func ended(_ reason: String) -> Counter {
            metrics.counter(
                "maru_sockets_cut_off_total", "Sockets that the server has cut off.", labels: ["reason": reason])
        }
        cutOff = Dictionary(
            uniqueKeysWithValues: [EngineEnding.slowReader, .overRate, .pingTimeout].map { ($0, ended($0.rawValue)) })
        namelessEnded = ended("no identity")
        lag = metrics.histogram(
            "maru_delivery_lag_seconds", "From a message's time to its fan-out.", labels: [:], buckets: .latency)
    }

    /// Counts the end of a socket if the server has cut it off.
    func ended(_ ending: EngineEnding) { cutOff[ending]?.increment() }

    /// Counts a socket that was closed because it showed no identity in time.
    func endedNameless() { namelessEnded.increment() }

    /// Begins the span of a message's delivery to the sockets of a loop; nil if the message is not traced.
    func beginDelivery(of message: RoomMessage) -> OpenSpan? {
        guard let parent = message.trace, let tracer, let context = tracer.follow(parent) else { return nil }
        var span = TraceSpan("process room", .consumer, as: context, below: parent.spanID)
        span.set("messaging.system", .text("redis"))
        span.set("messaging.operation.type", .text("process"))
        span.set("messaging.destination.template", .text("room:{room}"))
        return tracer.begin(span)
    }

    /// Begins the span of a call over a `/me` socket; nil if the call is not traced.
    func beginCall(_ name: String) -> MeCallTrace? { MeCallTrace(name, by: tracer) }

    func delivered(_ message: RoomMessage, to count: UInt64) {
        deliveries.increment(by: count)
        let now = Timestamp.now
        lag.observe(max(.zero, now - message.body.createdAt))
        recent.current.note(room: message.room, seq: message.body.seq, sockets: count, at: now)
    }
}

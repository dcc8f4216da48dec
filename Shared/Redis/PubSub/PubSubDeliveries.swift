internal import EventLoop
internal import Synchronization

/// Delivers events from the subscriber's loop to the listeners' loops, with one callback per loop for all events of a
/// read.
///
/// While more than `limit` bytes wait for one loop, reading from the server pauses until half of them are handled.
///
/// - Note: `@unchecked Sendable` because it is confined to the subscriber's loop, except the backlogs, which are
///   atomic.
final class PubSubDeliveries: @unchecked Sendable {
    private struct Delivery {
        let subscription: RedisSubscription
        let event: RedisSubscription.Event
    }

    private struct Batch {
        var deliveries: [Delivery] = []
        var size = 0
    }

    /// The bytes that one loop has not handled yet.
    private final class Backlog: Sendable {
        let size = Atomic<Int>(0)
    }

    private let loop: EventLoop
    private let group: EventLoopGroup
    private let limit: Int
    private var batches: [Batch]
    private let backlogs: [Backlog]
    private var isReadingPaused = false
    /// The connection to pause and resume.
    weak var connection: RedisConnection? {
        didSet { isReadingPaused = false }
    }

    /// The size of a delivery besides its bytes.
    private static let deliverySize = 64
    private static let checkInterval = Duration.milliseconds(5)

    init(from loop: EventLoop, to group: EventLoopGroup, limit: Int) {
        self.loop = loop
        self.group = group
        self.limit = limit
        batches = group.loops.map { _ in Batch() }
        backlogs = group.loops.map { _ in Backlog() }
    }

    func add(_ event: RedisSubscription.Event, for subscription: RedisSubscription) {
        let index = subscription.loop.index
        batches[index].deliveries.append(Delivery(subscription: subscription, event: event))
        batches[index].size += Self.deliverySize
        if case .message(let bytes) = event { batches[index].size += bytes.count }
    }

    /// Sends the events added since the last call.
    func send() {
        for index in batches.indices where !batches[index].deliveries.isEmpty {
            var batch = Batch()
            swap(&batch, &batches[index])
            send(batch, to: group.loops[index], backlogs[index])
        }
        if !isReadingPaused && backlogs.contains(where: { $0.size.load(ordering: .relaxed) > limit }) { pauseReading() }
    }

    /// Calls observers on every loop, after the events sent so far.
    func notify(_ state: RedisState, _ observers: [@Sendable (RedisState) -> Void]) {
        for target in group.loops {
            target.execute {
                for observer in observers { observer(state) }
            }
        }
    }

    private func send(_ batch: Batch, to target: EventLoop, _ backlog: Backlog) {
        let deliveries = batch.deliveries
        let size = batch.size
        backlog.size.add(size, ordering: .relaxed)
        target.execute {
            for delivery in deliveries { delivery.subscription.deliver(delivery.event) }
            backlog.size.subtract(size, ordering: .relaxed)
        }
    }

    private func pauseReading() {
        isReadingPaused = true
        connection?.setReading(paused: true)
        resumeLater()
    }

    private func resumeLater() {
        loop.schedule(after: Self.checkInterval) { [weak self] in
            guard let self, isReadingPaused else { return }
            guard backlogs.allSatisfy({ $0.size.load(ordering: .relaxed) <= limit / 2 }) else { return resumeLater() }
            isReadingPaused = false
            connection?.setReading(paused: false)
        }
    }
}

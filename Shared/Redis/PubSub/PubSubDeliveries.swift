internal import EventLoop
internal import Synchronization

/// Carries events from the subscriber's loop to the listeners' loops, one letter a loop
/// for all that a read has brought.
///
/// When more than `limit` bytes wait for one loop, reading from the server rests until half of it is done.
///
/// - Note: `@unchecked Sendable` because it is confined to the subscriber's loop,
///   but for the backlogs, which are atomic.
final class PubSubDeliveries: @unchecked Sendable {
    private struct Delivery {
        let subscription: RedisSubscription
        let event: RedisSubscription.Event
    }

    private struct Outbox {
        var deliveries: [Delivery] = []
        var size = 0
    }

    /// Bytes on their way to one loop.
    private final class Backlog: Sendable {
        let size = Atomic<Int>(0)
    }

    private let loop: EventLoop
    private let group: EventLoopGroup
    private let limit: Int
    private var outboxes: [Outbox]
    private let backlogs: [Backlog]
    private var isResting = false
    /// The connection whose reading rests.
    weak var connection: RedisConnection? {
        didSet { isResting = false }
    }

    /// What a delivery takes up beside its bytes.
    private static let deliverySize = 64
    private static let rest = Duration.milliseconds(5)

    init(from loop: EventLoop, to group: EventLoopGroup, limit: Int) {
        self.loop = loop
        self.group = group
        self.limit = limit
        outboxes = group.loops.map { _ in Outbox() }
        backlogs = group.loops.map { _ in Backlog() }
    }

    func add(_ event: RedisSubscription.Event, for subscription: RedisSubscription) {
        let index = subscription.loop.index
        outboxes[index].deliveries.append(Delivery(subscription: subscription, event: event))
        outboxes[index].size += Self.deliverySize
        if case .message(let bytes) = event { outboxes[index].size += bytes.count }
    }

    /// Sends what was added since.
    func send() {
        for index in outboxes.indices where !outboxes[index].deliveries.isEmpty {
            var outbox = Outbox()
            swap(&outbox, &outboxes[index])
            send(outbox, to: group.loops[index], backlogs[index])
        }
        if !isResting && backlogs.contains(where: { $0.size.load(ordering: .relaxed) > limit }) { restReading() }
    }

    /// Calls observers on every loop, after the events sent so far.
    func tell(_ state: RedisState, _ observers: [@Sendable (RedisState) -> Void]) {
        for target in group.loops {
            target.execute {
                for observer in observers { observer(state) }
            }
        }
    }

    private func send(_ outbox: Outbox, to target: EventLoop, _ backlog: Backlog) {
        let deliveries = outbox.deliveries
        let size = outbox.size
        backlog.size.add(size, ordering: .relaxed)
        target.execute {
            for delivery in deliveries { delivery.subscription.deliver(delivery.event) }
            backlog.size.subtract(size, ordering: .relaxed)
        }
    }

    private func restReading() {
        isResting = true
        connection?.setReading(paused: true)
        goOnSoon()
    }

    private func goOnSoon() {
        loop.schedule(after: Self.rest) { [weak self] in
            guard let self, isResting else { return }
            guard backlogs.allSatisfy({ $0.size.load(ordering: .relaxed) <= limit / 2 }) else { return goOnSoon() }
            isResting = false
            connection?.setReading(paused: false)
        }
    }
}

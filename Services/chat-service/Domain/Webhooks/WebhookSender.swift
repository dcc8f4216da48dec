import Contract
import EventLoop
import HTTP
import ServiceKit
import Synchronization
import Telemetry
import Wire

/// Calls the receivers of outgoing webhooks: the events of a queue one after the other, and queues beside each other.
///
/// An instance leases the queues that it works on, so that a crash delays events but loses none. A crash between a reply and its
/// record sends an event a second time, with the same id.
final class WebhookSender: Sendable {
    private let store: WebhookDeliveryStore
    private let renderer: WebhookRenderer
    private let receivers: WebhookReceivers
    private let limits: WebhookLimits
    private let off: WebhookSwitch
    private let metrics: WebhookMetrics
    private let log: Log
    private let state = Mutex(State())
    private let signal = WakeSignal()

    private struct State {
        /// The queues under way, by subscription.
        var queues: [WebhookSubscriptionID: Int] = [:]
        /// Whether queues are being leased.
        var isTaking = false
        var isStopped = false

        var isIdle: Bool { !isTaking && queues.isEmpty }
    }

    /// Queues at a time, and those of one subscription: a slow receiver leaves room for the others.
    private static let concurrency = 256
    private static let ofSubscription = 4
    /// A lease is longer than a call.
    private static let lease = Duration.seconds(30)
    /// The pause between searches for queues that other instances filled or left behind.
    private static let searchInterval = Duration.seconds(1)
    private static let timeToRecord = Duration.seconds(2)
    private static let longestStop = Duration.seconds(20)
    /// How long one event fails before its subscription may be switched off.
    private static let shortestFailure = Duration.seconds(3600)
    /// The pause before another try to tell that a subscription is off.
    private static let noticePause = Duration.seconds(30)

    init(
        store: WebhookDeliveryStore, renderer: WebhookRenderer, receivers: WebhookReceivers, limits: WebhookLimits,
        off: WebhookSwitch, metrics: WebhookMetrics, log: Log
    ) {
        self.store = store
        self.renderer = renderer
        self.receivers = receivers
        self.limits = limits
        self.off = off
        self.metrics = metrics
        self.log = log
    }

    /// A queue may be due earlier than was known.
    func wake() { signal.wake() }

    /// Works until the task is cancelled.
    func run(on loop: EventLoop) async throws {
        while !Task.isCancelled {
            if try await takeQueues(on: loop) { continue }
            let next = try await store.nextDue().map { max(.milliseconds(50), $0 - .now) } ?? Self.searchInterval
            try await signal.sleep(atMost: min(next, Self.searchInterval), on: loop)
        }
    }

    /// Begins to work on queues that are due, and returns whether there were some.
    private func takeQueues(on loop: EventLoop) async throws -> Bool {
        let (free, full) = state.withLock { state in
            let free = (Self.concurrency - state.queues.values.reduce(0, +)) / Self.ofSubscription
            state.isTaking = !state.isStopped && free > 0
            return (state.isTaking ? free : 0, state.queues.filter { $0.value >= Self.ofSubscription }.map(\.key))
        }
        guard free > 0 else { return false }
        defer { state.withLock { $0.isTaking = false } }
        let now = Timestamp.now
        let leases = try await store.take(
            of: free, each: Self.ofSubscription, now: now, until: now + leaseTime, except: full)
        for lease in leases { begin(lease, on: loop) }
        return !leases.isEmpty
    }

    /// Takes no more queues, and returns once the calls under way are recorded, or after the time of a call.
    func stop(on loop: EventLoop) async throws {
        state.withLock { $0.isStopped = true }
        let end = EventLoop.preciseNow + min(limits.timeout + Self.timeToRecord, Self.longestStop).wholeNanoseconds
        while !state.withLock(\.isIdle), EventLoop.preciseNow < end { try await loop.sleep(for: .milliseconds(20)) }
    }

    private var leaseTime: Duration { Self.lease + limits.timeout }

    /// Works on a queue beside the others. The task outlives a cancelled `run`.
    private func begin(_ lease: WebhookLease, on loop: EventLoop) {
        let isFull = state.withLock { state in
            state.queues[lease.subscription.id, default: 0] += 1
            return state.queues[lease.subscription.id, default: 0] > Self.ofSubscription
        }
        Task(executorPreference: loop) { [self] in
            do {
                if isFull { try await store.release(lease, at: .now) } else { try await work(on: lease) }
            } catch {
                log.error("the outcome of a webhook call cannot be saved", ["cause": .cause(error)])
            }
            state.withLock { state in
                let left = (state.queues[lease.subscription.id] ?? 1) - 1
                state.queues[lease.subscription.id] = left > 0 ? left : nil
            }
            signal.wake()
        }
    }

    /// Sends the events of a queue until it is empty, one fails, or the lease is lost.
    private func work(on leased: WebhookLease) async throws {
        var lease = leased
        if let moment = lease.turnedOffAt { return try await tell(lease, of: moment) }
        guard lease.subscription.isOn else {
            _ = try await store.leave(lease)
            return
        }
        while true {
            if state.withLock(\.isStopped) { return try await store.release(lease, at: .now) }
            guard let (event, isWanted) = try await store.next(of: lease) else {
                if try await store.leave(lease) { return }
                // Something has been added, or the lease is lost.
                return try await store.release(lease, at: .now)
            }
            if !isWanted {
                guard try await settle(event, .failed, (nil, WebhookDelivery.leftOutError), &lease) else { return }
                continue
            }
            guard try await send(event, &lease) else { return }
        }
    }

    /// Tells that a subscription was switched off; again later if another service does not answer.
    private func tell(_ lease: WebhookLease, of moment: Timestamp) async throws {
        do {
            try await off.tell(lease.subscription, turnedOffAt: moment)
        } catch {
            log.warning("the notice of a switched-off webhook is delayed", ["cause": .cause(error)])
            return try await store.release(lease, at: .now + Self.noticePause)
        }
        _ = try await store.leave(lease)
    }

    /// Returns whether the queue goes on.
    private func send(_ event: WebhookDelivery, _ lease: inout WebhookLease) async throws -> Bool {
        guard let body = try await renderer.body(of: event, in: lease.subscription.workspace) else {
            metrics.failed.increment()
            return try await settle(event, .failed, (nil, "The message does not exist any more."), &lease)
        }
        let answer = await receivers.call(lease.subscription, id: event.name, body)
        metrics.observe(answer)
        switch answer.verdict {
        case .taken:
            metrics.delivered.increment()
            return try await settle(event, .delivered, (answer.status, nil), &lease)
        case .gone:
            metrics.failed.increment()
            guard try await settle(event, .failed, (answer.status, answer.error), &lease) else { return false }
            try await off.turnOff(lease.subscription, because: "The receiver answered 410 Gone.")
            return false
        case .refused:
            let now = Timestamp.now
            if let first = event.tried.first, now - first >= limits.giveUpAfter.ofEvent {
                metrics.failed.increment()
                return try await settle(event, .failed, (answer.status, answer.error), &lease)
            }
            metrics.retried.increment()
            let wait = WebhookRetry.wait(
                after: lease.attempts + 1, asked: answer.retryAfter, spread: .random(in: 0...1))
            let failingSince = try await store.postpone(
                event, (answer.status, answer.error), lease, to: now + wait, now: now)
            if let failingSince, isHopeless(event, failingSince: failingSince, now) {
                try await off.turnOff(lease.subscription, because: answer.error ?? "The receiver does not answer.")
            }
            return false
        }
    }

    /// The failure may have begun with an event that was given up long ago, and this may be the first since then: so this
    /// event has also failed for a while.
    private func isHopeless(_ event: WebhookDelivery, failingSince: Timestamp, _ now: Timestamp) -> Bool {
        let limit = limits.giveUpAfter.ofSubscription
        guard now - failingSince >= limit, let first = event.tried.first else { return false }
        return now - first >= min(Self.shortestFailure, limit)
    }

    private func settle(
        _ event: WebhookDelivery, _ state: WebhookDelivery.State, _ outcome: (status: Int?, error: String?),
        _ lease: inout WebhookLease
    ) async throws -> Bool {
        let now = Timestamp.now
        return try await store.settle(event, state, outcome, &lease, until: now + leaseTime, now: now)
    }

    // MARK: Old events

    private static let page = 1000

    /// Deletes the events that are older than `webhook_memory`.
    func forget() async throws {
        try await store.forget(before: .now - limits.memory, limit: Self.page)
    }
}

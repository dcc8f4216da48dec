import Contract
import EventLoop
import ServiceKit
import Synchronization
import Telemetry
import Wire

/// Sends due pushes, a bounded number at a time, and retries failed ones.
///
/// A push is in the table before it is sent, and a repeated push carries the same name, so that a device shows it once.
/// An instance leases no more pushes than it can send at once: the others wait in the table for any instance. A leased push
/// is sent even if others fail, or the task that leased it is cancelled.
final class PushSender: Sendable {
    private struct State {
        /// Pushes under way.
        var busy = 0
        var isTaking = false
        /// Whether more may be due than there were slots for.
        var waitsForSlot = false
        var isStopped = false
        /// Whether a push has ever passed: then it is a device, and not our key file, that is of another project.
        var hasSent = false

        var isResting: Bool { busy == 0 && !isTaking }
    }

    private let store: PushStore
    private let provider: FCM
    private let auth: AuthClient
    private let chat: ChatClient
    private let recipients: PushRecipients
    private let metrics: PushMetrics
    private let log: Log
    private let lease: Duration
    private let state = Mutex(State())
    private let signal = WakeSignal()
    private let rested = WakeSignal()

    private static let concurrency = 32
    private static let searchInterval = Duration.seconds(5)
    /// A push of an older message has waited, so it is decided about again.
    private static let fresh = Duration.seconds(60)

    /// - Parameter lease: how long an instance holds the lease on a push. Then others may take it.
    init(
        store: PushStore, provider: FCM, recipients: PushRecipients, auth: AuthClient, chat: ChatClient,
        lease: Duration, metrics: PushMetrics, log: Log
    ) {
        self.lease = lease
        self.store = store
        self.provider = provider
        self.auth = auth
        self.chat = chat
        self.recipients = recipients
        self.metrics = metrics
        self.log = log
    }

    /// A push may be due.
    func wake() { signal.wake() }

    /// Sends until cancelled.
    func run(on loop: EventLoop) async throws {
        while !Task.isCancelled {
            let pause = try await takeMore(on: loop)
            if pause > .zero { try await signal.sleep(atMost: pause, on: loop) }
        }
    }

    /// Takes no more pushes, and returns when those under way are done, or after `limit`.
    func stop(within limit: Duration, on loop: EventLoop) async {
        state.withLock { $0.isStopped = true }
        let end = EventLoop.preciseNow + limit.wholeNanoseconds
        while !state.withLock(\.isResting) {
            let now = EventLoop.preciseNow
            guard now < end else { return }
            try? await rested.sleep(atMost: .nanoseconds(Int64(end - now)), on: loop)
        }
    }

    /// Begins as many pushes as there are free slots.
    ///
    /// - Returns: how long nothing is due, unless it is woken.
    private func takeMore(on loop: EventLoop) async throws -> Duration {
        let free = state.withLock { state in
            let free = state.isStopped ? 0 : Self.concurrency - state.busy
            state.waitsForSlot = free == 0
            state.isTaking = free > 0
            return free
        }
        guard free > 0 else { return Self.searchInterval }
        let due: [DuePush]
        do {
            // It must not be cancelled: its push would wait until the lease ends.
            due = try await Task(executorPreference: loop) { [store, lease] in
                try await store.take(atMost: free, now: .now, lease: lease)
            }.value
            took(due.count)
        } catch {
            took(0)
            throw error
        }
        for push in due {
            Task(executorPreference: loop) { [self] in
                await settle(push)
                done()
            }
        }
        if due.count == free { return .zero }
        let next = try await store.nextDue().map { max(.milliseconds(10), $0 - .now) } ?? Self.searchInterval
        return min(next, Self.searchInterval)
    }

    private func took(_ count: Int) {
        let isResting = state.withLock { state in
            state.busy += count
            state.isTaking = false
            return state.isResting
        }
        if isResting { rested.wake() }
    }

    private func done() {
        let (hasSlot, isResting) = state.withLock { state in
            state.busy -= 1
            defer { state.waitsForSlot = false }
            return (state.waitsForSlot, state.isResting)
        }
        if hasSlot { signal.wake() }
        if isResting { rested.wake() }
    }

    private func settle(_ push: DuePush) async {
        do {
            try await send(push)
        } catch {
            log.error("the outcome of a push cannot be saved", ["cause": .cause(error)])
        }
    }

    private func send(_ push: DuePush) async throws {
        // It may have waited for a gateway that sends pushes.
        if PushRetryPolicy.isTooOld(.now - push.createdAt) {
            metrics.failed.increment()
            return try await store.finish(push, .failed, at: .now)
        }
        guard let json = try? JSONValue(parsing: push.body), let message = PushMessage(json) else {
            return try await store.finish(push, .failed, at: .now)
        }
        if push.attempts == 1, .now - push.createdAt < Self.fresh { return try await hand(message, push) }
        guard let (decided, objection) = try? await decide(push) else { return try await postpone(push, .seconds(1)) }
        if let objection {
            metrics.withdrawn.increment()
            return try await store.finish(push, .withdrawn(objection), at: .now)
        }
        var current = push
        if push.badge != nil, let badge = decided.badges.first { current.badge = Int(badge.count) }
        try await hand(decided.content.map { message.with(content: $0) } ?? message, current)
    }

    /// The text and the badge of a push that has waited, as they are now, and why it is not sent any more.
    private func decide(_ push: DuePush) async throws -> (PushDecisionsReply, objection: PushReason?) {
        async let objection = recipients.objection(to: push)
        let decided = try await chat.pushDecisions(
            for: [push.user], badges: push.badge == nil ? [] : [push.user], of: push.seq, in: push.room)
        let unwanted = decided.groups.first.flatMap { $0.reason.isPush ? nil : $0.reason }
        return try await (decided, objection ?? unwanted)
    }

    /// Hands a push over to the provider.
    private func hand(_ message: PushMessage, _ push: DuePush) async throws {
        switch await provider.send(message.addressed(to: push), to: push.device) {
        case .sent:
            state.withLock { $0.hasSent = true }
            try await store.finish(push, .sent, at: .now)
            metrics.sent(lag: .now - push.createdAt)
        case .deadToken: try await prune(push)
        case .otherProject where state.withLock(\.hasSent): try await prune(push)
        case .otherProject: try await giveUp(push, "a device or the key file belongs to another project")
        case .later(let atLeast): try await postpone(push, atLeast)
        case .unauthorized: try await postpone(push, .seconds(10))
        case .hopeless: try await giveUp(push, "a push was refused")
        }
    }

    private func prune(_ push: DuePush) async throws {
        do { try await auth.prune(push.device) } catch { return try await postpone(push, .seconds(5)) }
        try await store.finish(push, .deadToken, at: .now)
        metrics.dead.increment()
    }

    private func giveUp(_ push: DuePush, _ reason: StaticString) async throws {
        log.error(reason, ["room": .name("\(push.room)")])
        try await store.finish(push, .failed, at: .now)
        metrics.failed.increment()
    }

    private func postpone(_ push: DuePush, _ atLeast: Duration) async throws {
        metrics.retried.increment()
        let now = Timestamp.now
        let wait = PushRetryPolicy.wait(
            after: push.attempts, atLeast: atLeast, age: now - push.createdAt, jitter: .random(in: 0...1))
        guard let wait else {
            metrics.failed.increment()
            return try await store.finish(push, .failed, at: now)
        }
        try await store.postpone(push, to: now + wait)
    }
}

/// The metrics of pushes.
struct PushMetrics: Sendable {
    let dead: Counter
    let retried: Counter
    let failed: Counter
    let withdrawn: Counter
    private let handedOver: Counter
    private let lag: Histogram

    init(_ metrics: MetricsRegistry) {
        func counter(_ outcome: String) -> Counter {
            metrics.counter("maru_pushes_total", "Pushes by outcome.", labels: ["outcome": outcome])
        }
        handedOver = counter("sent")
        dead = counter("dead token")
        retried = counter("retried")
        failed = counter("failed")
        withdrawn = counter("withdrawn")
        lag = metrics.histogram(
            "maru_push_lag_seconds", "From a message's time to its handing over.", labels: [:], buckets: .latency)
    }

    func sent(lag: Duration) {
        handedOver.increment()
        self.lag.observe(max(.zero, lag))
    }
}

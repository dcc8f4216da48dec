import Contract
import EventLoop
import ServiceKit
import Telemetry
import Wire

/// Hands over what is due, a bounded number at a time, and tries again what did not pass.
///
/// A push is in the table before it is sent, and what is sent twice carries the same name, so that a device shows it once.
final class PushSender: Sendable {
    private let store: PushStore
    private let provider: FCM
    private let auth: AuthClient
    private let metrics: PushMetrics
    private let log: Log
    private let lease: Duration
    private let signal = WakeSignal()

    private static let batch = 200
    private static let concurrency = 32
    private static let patrol = Duration.seconds(5)

    /// - Parameter lease: how long a push is one's own that one has taken; then others may take it.
    init(
        store: PushStore, provider: FCM, auth: AuthClient, lease: Duration, metrics: PushMetrics, log: Log
    ) {
        self.lease = lease
        self.store = store
        self.provider = provider
        self.auth = auth
        self.metrics = metrics
        self.log = log
    }

    /// Something may be due.
    func wake() { signal.wake() }

    /// Sends until cancelled; on a loop.
    func run() async throws {
        guard let loop = EventLoop.current else { return }
        while !Task.isCancelled {
            let due = try await store.take(atMost: Self.batch, now: .now, lease: lease)
            if due.isEmpty {
                let next = try await store.nextDue().map { max(.milliseconds(10), $0 - .now) } ?? Self.patrol
                try await signal.sleep(atMost: min(next, Self.patrol), on: loop)
            } else {
                try await send(due)
            }
        }
    }

    private func send(_ due: [PushStore.Due]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, push) in due.enumerated() {
                if index >= Self.concurrency { try await group.next() }
                group.addTask { [self] in try await send(push) }
            }
            try await group.waitForAll()
        }
    }

    private func send(_ push: PushStore.Due) async throws {
        guard let json = try? JSONValue(parsing: push.body), let message = PushMessage(json) else {
            return try await store.finish(push, at: .now)
        }
        switch await provider.send(message, to: push.device) {
        case .sent:
            try await store.finish(push, at: .now)
            metrics.sent(lag: .now - push.createdAt)
        case .deadToken:
            do { try await auth.prune(push.device) } catch { return try await postpone(push, .seconds(5)) }
            try await store.finish(push, at: .now)
            metrics.dead.increment()
        case .later(let atLeast): try await postpone(push, atLeast)
        case .unauthorized: try await postpone(push, .seconds(10))
        case .hopeless:
            log.error("a push is refused", ["room": .name("\(push.room)")])
            try await store.finish(push, at: .now)
            metrics.failed.increment()
        }
    }

    private func postpone(_ push: PushStore.Due, _ atLeast: Duration) async throws {
        metrics.retried.increment()
        let now = Timestamp.now
        let wait = PushPatience.wait(
            after: push.attempts, atLeast: atLeast, age: now - push.createdAt, jitter: .random(in: 0...1))
        guard let wait else {
            metrics.failed.increment()
            return try await store.finish(push, at: now)
        }
        try await store.postpone(push, to: now + wait)
    }
}

/// What is counted of pushes.
struct PushMetrics: Sendable {
    let dead: Counter
    let retried: Counter
    let failed: Counter
    private let handedOver: Counter
    private let lag: Histogram

    init(_ metrics: MetricsRegistry) {
        func counter(_ outcome: String) -> Counter {
            metrics.counter("maru_pushes_total", "Pushes by what became of them.", labels: ["outcome": outcome])
        }
        handedOver = counter("sent")
        dead = counter("dead token")
        retried = counter("retried")
        failed = counter("failed")
        lag = metrics.histogram(
            "maru_push_lag_seconds", "From a message's time to its handing over.", labels: [:], buckets: .latency)
    }

    func sent(lag: Duration) {
        handedOver.increment()
        self.lag.observe(max(.zero, lag))
    }
}

import Contract
import EventLoop
import ServiceKit
import Synchronization
import Telemetry
import Wire

/// Sends scheduled messages when their time has come, as HTTP sends do.
///
/// An instance leases the messages that it sends. The lease is short, because a repeated send is the same message: each
/// one has an idempotency key that is made of its id. So after a crash another instance sends it within a second or two.
final class ScheduledSender: Sendable {
    private let store: ScheduledStore
    private let conversations: Conversations
    private let access: RoomAccess
    private let disabled: DisabledUsers
    private let lease: Duration
    private let metrics: ScheduledMetrics
    private let log: Log
    /// Sends under way.
    private let busy = Mutex(0)
    private let signal = WakeSignal()

    private static let concurrency = 64
    /// The pause between searches for messages that other instances accepted or left behind.
    private static let searchInterval = Duration.milliseconds(500)
    /// A message that could not be sent for this time fails, if it has had its attempts.
    private static let longestDelay = Duration.seconds(3600)
    private static let fewestAttempts = 60
    /// A late message does not wait longer for its next attempt.
    private static let longestPause = Duration.seconds(60)
    private static let wasDisabled = Failure(.notAllowed, "Your account was disabled when the message was due.")

    /// - Parameter lease: how long other instances leave a message to the one that sends it. It doubles with each attempt.
    init(
        store: ScheduledStore, conversations: Conversations, access: RoomAccess,
        disabled: DisabledUsers, lease: Duration, metrics: ScheduledMetrics, log: Log
    ) {
        self.store = store
        self.conversations = conversations
        self.access = access
        self.disabled = disabled
        self.lease = lease
        self.metrics = metrics
        self.log = log
    }

    /// A message may be due earlier than was known.
    func wake() { signal.wake() }

    /// Sends until the task is cancelled.
    func run(on loop: EventLoop) async throws {
        while !Task.isCancelled {
            let free = Self.concurrency - busy.withLock(\.self)
            // The end of a send wakes it.
            guard free > 0 else {
                try await signal.sleep(atMost: Self.searchInterval, on: loop)
                continue
            }
            let due = try await store.take(atMost: free, now: .now, lease: lease)
            for message in due { begin(message, on: loop) }
            if due.count == free { continue }
            let next = try await store.nextDue().map { max(.milliseconds(5), $0 - .now) } ?? Self.searchInterval
            try await signal.sleep(atMost: min(next, Self.searchInterval), on: loop)
        }
    }

    /// Sends a message beside the others, so that a slow one delays none. The task outlives a cancelled `run`.
    private func begin(_ message: ScheduledMessage, on loop: EventLoop) {
        busy.withLock { $0 += 1 }
        Task(executorPreference: loop) { [self] in
            do {
                try await settle(message)
            } catch {
                log.error("the outcome of a scheduled message cannot be saved", ["cause": .cause(error)])
            }
            let wasFull = busy.withLock { busy in
                defer { busy -= 1 }
                return busy == Self.concurrency
            }
            if wasFull { signal.wake() }
        }
    }

    private func settle(_ message: ScheduledMessage) async throws {
        do {
            let request = try SendRequest(
                content: message.content, files: [], clientID: message.sendID, reply: message.reply,
                kept: message.files)
            let caller = Caller(user: message.author, session: message.session)
            _ = try await conversations.send(
                request, to: try await target(of: message), by: caller, isScheduled: true)
        } catch {
            return try await handle(error, of: message)
        }
        try await store.finish(message, now: .now)
        metrics.sent(lag: .now - message.at)
    }

    /// The room, if the author may write to it now: a client with their session could. A block does not matter, as for any other send: its refusal would tell the
    /// author of it.
    private func target(of message: ScheduledMessage) async throws -> MessageTarget {
        if try await disabled.contains(message.author) { throw Self.wasDisabled }
        if let channel = message.room.channel {
            return MessageTarget(
                try await access.channel(.id(channel), in: message.workspace, forMember: message.author))
        }
        guard let dm = message.room.dm else { throw Failure.notFound }
        return MessageTarget(try await access.openDM(dm, of: message.author, in: message.workspace))
    }

    /// A refusal is final. After any other error the message is sent again, because it may pass then.
    private func handle(_ error: any Error, of message: ScheduledMessage) async throws {
        let failure = error as? Failure
        var isFinal = failure.map { $0.code != .serverError && $0.code != .tooManyCalls } ?? false
        if !isFinal { isFinal = try await isGivenUp(message, retryAfter: failure?.retryAfter) }
        if isFinal {
            // An instance that crashed after the commit may have sent it, before its author lost access.
            if try await store.isSent(message) { return try await store.finish(message, now: .now) }
            let reason = failure ?? .serverError
            try await store.fail(
                message, ScheduledMessage.Refusal(code: reason.code.rawValue, detail: reason.detail))
            return metrics.failed.increment()
        }
        metrics.retried.increment()
        try await store.postpone(message, to: .now + (failure?.retryAfter ?? .seconds(1)))
    }

    /// Whether a message that could not be sent is not sent again. The time alone does not tell: the service may have been down
    /// then, or the author sends the message again after a failure.
    private func isGivenUp(_ message: ScheduledMessage, retryAfter: Duration?) async throws -> Bool {
        guard Timestamp.now - message.at > Self.longestDelay else { return false }
        if let retryAfter, retryAfter > Self.longestPause { return true }
        return try await store.attempts(of: message) >= Self.fewestAttempts
    }
}

/// The metrics of scheduled messages.
struct ScheduledMetrics: Sendable {
    let retried: Counter
    let failed: Counter
    private let done: Counter
    private let lag: Histogram

    init(_ metrics: MetricsRegistry) {
        func counter(_ outcome: String) -> Counter {
            metrics.counter(
                "maru_scheduled_messages_total", "Scheduled messages by outcome.",
                labels: ["outcome": outcome])
        }
        done = counter("sent")
        retried = counter("retried")
        failed = counter("failed")
        lag = metrics.histogram(
            "maru_scheduled_lag_seconds", "From the time of a scheduled message to its commit.", labels: [:],
            buckets: .latency)
    }

    func sent(lag: Duration) {
        done.increment()
        self.lag.observe(max(.zero, lag))
    }
}

/// An action that a loop runs once at a time to come, unless it is moved or cancelled before.
///
/// - Note: `@unchecked Sendable` because a timer belongs to its loop: every method asserts that it is on the loop.
public final class LoopTimer: @unchecked Sendable {
    private let loop: EventLoop
    private let action: () -> Void
    /// Monotonic nanoseconds.
    var deadline: UInt64
    /// Where the wheel keeps it, or one of the two values below zero.
    var slot = LoopTimer.absent
    var place = 0

    /// The `slot` of a timer that is neither kept nor due.
    static let absent = -1
    /// The `slot` of a timer that the wheel has let go because its action comes next.
    static let due = -2

    init(loop: EventLoop, deadline: UInt64, action: @escaping () -> Void) {
        self.loop = loop
        self.deadline = deadline
        self.action = action
    }

    /// Whether the action is still to come.
    public var isPending: Bool { slot != Self.absent }

    /// Moves the action to `delay` from now; a cancelled or fired timer starts anew.
    public func restart(after delay: Duration) {
        loop.preconditionInLoop()
        restart(at: loop.readClock() &+ delay.wholeNanoseconds)
    }

    /// Moves the action to when the loop's `now` is `deadline`.
    public func restart(at deadline: UInt64) {
        loop.preconditionInLoop()
        loop.wheel.move(self, to: deadline)
    }

    /// Takes the action back; it may be started again.
    public func cancel() {
        loop.preconditionInLoop()
        loop.wheel.remove(self)
    }

    /// Runs the action unless it has been taken back or moved since the wheel let it go.
    func fireIfDue() {
        guard slot == Self.due else { return }
        slot = Self.absent
        action()
    }
}

extension EventLoop {
    /// Runs `action` on the loop after `delay`, at most a few milliseconds late and never early.
    ///
    /// The timer holds its action, and the loop holds the timer while it is pending: let the action hold its owner
    /// weakly, or cancel the timer when the owner ends.
    @discardableResult
    public func schedule(after delay: Duration, _ action: @escaping () -> Void) -> LoopTimer {
        preconditionInLoop()
        let timer = LoopTimer(loop: self, deadline: readClock() &+ delay.wholeNanoseconds, action: action)
        wheel.insert(timer)
        return timer
    }

    /// Suspends the caller for `delay`, or throws `CancellationError` as soon as its task is cancelled.
    public func sleep(for delay: Duration) async throws {
        let sleeper = Sleeper()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                execute { sleeper.start(on: self, for: delay, continuation) }
            }
        } onCancel: {
            execute { sleeper.cancel() }
        }
    }
}

/// The state of one `sleep`.
///
/// - Note: `@unchecked Sendable` because only mail of one loop touches it.
final class Sleeper: @unchecked Sendable {
    private var continuation: CheckedContinuation<Void, any Error>?
    private var timer: LoopTimer?
    private var isCancelled = false
    private weak var loop: EventLoop?

    func start(on loop: EventLoop, for delay: Duration, _ continuation: CheckedContinuation<Void, any Error>) {
        if isCancelled { return continuation.resume(throwing: CancellationError()) }
        self.continuation = continuation
        self.loop = loop
        loop.sleepers[ObjectIdentifier(self)] = self
        timer = loop.schedule(after: delay) { [unowned self] in end(.success(())) }
    }

    func cancel() {
        isCancelled = true
        timer?.cancel()
        end(.failure(CancellationError()))
    }

    private func end(_ result: Result<Void, any Error>) {
        loop?.sleepers[ObjectIdentifier(self)] = nil
        continuation?.resume(with: result)
        continuation = nil
    }
}

extension Duration {
    /// Nanoseconds, none below zero and at most 292 years.
    public var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        if seconds < 0 || attoseconds < 0 { return 0 }
        return UInt64(min(seconds, 9_000_000_000)) &* 1_000_000_000 &+ UInt64(attoseconds) / 1_000_000_000
    }
}

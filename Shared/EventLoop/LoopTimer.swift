/// An action that a loop runs once at a later time, unless the timer is moved or cancelled before.
///
/// - Note: `@unchecked Sendable` because a timer belongs to its loop: every public method checks that it is on the
///   loop.
public final class LoopTimer: @unchecked Sendable {
    private let loop: EventLoop
    private let action: () -> Void
    /// The time of the action, in monotonic nanoseconds. A timer that was moved later may still be in an earlier slot.
    var deadline: UInt64
    /// The slot of the wheel that holds the timer, or `absent` or `due`.
    var slot = LoopTimer.absent
    /// The index of the timer in its slot.
    var index = 0

    /// The `slot` of a timer that is neither in the wheel nor due.
    static let absent = -1
    /// The `slot` of a timer that has left the wheel; its action runs next.
    static let due = -2

    init(loop: EventLoop, deadline: UInt64, action: @escaping () -> Void) {
        self.loop = loop
        self.deadline = deadline
        self.action = action
    }

    /// Whether the action has not run yet.
    var isPending: Bool { slot != Self.absent }

    /// Sets the time of the action to `delay` from now; a cancelled or fired timer starts again.
    public func restart(after delay: Duration) {
        loop.preconditionInLoop()
        restart(at: loop.readClock() &+ delay.wholeNanoseconds)
    }

    /// Sets the time of the action to `deadline`, a value of the loop's `now`.
    public func restart(at deadline: UInt64) {
        loop.preconditionInLoop()
        loop.wheel.move(self, to: deadline)
    }

    /// Prevents the action; the timer may be restarted.
    public func cancel() {
        loop.preconditionInLoop()
        loop.wheel.remove(self)
    }

    /// Runs the action unless it was cancelled or moved after the timer left the wheel.
    func fireIfDue() {
        guard slot == Self.due else { return }
        slot = Self.absent
        action()
    }
}

extension EventLoop {
    /// Runs `action` on the loop after `delay`, at most a few milliseconds late and never early.
    ///
    /// The timer retains its action, and the loop retains a pending timer. So the action should hold its owner weakly,
    /// or the owner should cancel the timer when it ends.
    @discardableResult
    public func schedule(after delay: Duration, _ action: @escaping () -> Void) -> LoopTimer {
        preconditionInLoop()
        let timer = LoopTimer(loop: self, deadline: readClock() &+ delay.wholeNanoseconds, action: action)
        wheel.insert(timer)
        return timer
    }

    /// Suspends the caller for `delay`; throws `CancellationError` as soon as its task is cancelled or the loop ends.
    /// From any thread.
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
/// - Note: `@unchecked Sendable` because only callbacks of one loop touch it.
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
    /// Nanoseconds, at least 0 and at most 285 years.
    public var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        if seconds < 0 || attoseconds < 0 { return 0 }
        return UInt64(min(seconds, 9_000_000_000)) &* 1_000_000_000 &+ UInt64(attoseconds) / 1_000_000_000
    }
}

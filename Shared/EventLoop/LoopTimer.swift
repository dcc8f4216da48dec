/// An action that a loop runs once at a time to come, unless it is moved or cancelled before.
///
/// - Note: `@unchecked Sendable` because a timer belongs to its loop: every method asserts that it is on the loop.
public final class LoopTimer: @unchecked Sendable {
    private unowned let loop: EventLoop
    private var action: (() -> Void)?
    /// Monotonic nanoseconds.
    private(set) var deadline: UInt64
    /// Where the wheel keeps it; -1 while it keeps it not.
    var slot = -1
    var place = 0
    /// Taken out of the wheel and not yet run: another timer of the same turn may still take it back or move it.
    var isDue = false

    init(loop: EventLoop, deadline: UInt64, action: @escaping () -> Void) {
        self.loop = loop
        self.deadline = deadline
        self.action = action
    }

    /// Whether the action is still to come.
    public var isPending: Bool { slot >= 0 || isDue }

    /// Moves the action to `delay` from now; a cancelled or fired timer starts anew.
    public func restart(after delay: Duration) { restart(at: loop.now &+ delay.wholeNanoseconds) }

    /// Moves the action to when the loop's `now` is `deadline`.
    public func restart(at deadline: UInt64) {
        loop.preconditionInLoop()
        isDue = false
        let later = deadline >= self.deadline
        if slot >= 0 && later {
            self.deadline = deadline
        } else {
            loop.wheel.remove(self)
            self.deadline = deadline
            loop.wheel.insert(self)
        }
    }

    /// Takes the action back; it may be started again.
    public func cancel() {
        loop.preconditionInLoop()
        isDue = false
        loop.wheel.remove(self)
    }

    func fire() {
        guard isDue else { return }
        isDue = false
        action?()
    }
}

extension EventLoop {
    /// Runs `action` on the loop after `delay`, at most a few milliseconds late and never early.
    ///
    /// The timer holds its action, and the loop holds the timer while it is pending: let the action hold its owner weakly,
    /// or cancel the timer when the owner ends.
    @discardableResult
    public func schedule(after delay: Duration, _ action: @escaping () -> Void) -> LoopTimer {
        preconditionInLoop()
        let timer = LoopTimer(loop: self, deadline: now &+ delay.wholeNanoseconds, action: action)
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
private final class Sleeper: @unchecked Sendable {
    private var continuation: CheckedContinuation<Void, any Error>?
    private var timer: LoopTimer?
    private var isCancelled = false

    func start(on loop: EventLoop, for delay: Duration, _ continuation: CheckedContinuation<Void, any Error>) {
        if isCancelled { return continuation.resume(throwing: CancellationError()) }
        self.continuation = continuation
        timer = loop.schedule(after: delay) { [self] in
            self.continuation?.resume()
            self.continuation = nil
        }
    }

    func cancel() {
        isCancelled = true
        timer?.cancel()
        timer = nil
        continuation?.resume(throwing: CancellationError())
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

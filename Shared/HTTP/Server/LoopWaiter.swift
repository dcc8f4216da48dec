internal import EventLoop

/// A place on a loop where one task waits until it is woken or cancelled.
///
/// - Note: `@unchecked Sendable` because it is touched on its loop alone; cancellation is sent there as mail.
final class LoopWaiter: @unchecked Sendable {
    private let loop: EventLoop
    private var continuation: UnsafeContinuation<Void, Never>?

    init(loop: EventLoop) { self.loop = loop }

    /// Whether a task waits.
    var isTaken: Bool { continuation != nil }

    /// Suspends the caller until `wake`, or until its task is cancelled.
    func wait() async {
        loop.preconditionInLoop()
        precondition(!isTaken, "a second task waits at the same place")
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                if Task.isCancelled { continuation.resume() } else { self.continuation = continuation }
            }
        } onCancel: {
            loop.execute { [self] in wake() }
        }
    }

    /// Lets the task go on.
    func wake() {
        let continuation = self.continuation
        self.continuation = nil
        continuation?.resume()
    }
}

internal import EventLoop

/// Lets one task wait on a loop until it is woken or cancelled.
///
/// - Note: `@unchecked Sendable` because it is used on its loop alone; a cancellation reaches it by `execute`.
final class LoopWaiter: @unchecked Sendable {
    private let loop: EventLoop
    private var continuation: UnsafeContinuation<Void, Never>?

    init(loop: EventLoop) { self.loop = loop }

    /// Whether a task is waiting.
    var isTaken: Bool { continuation != nil }

    /// Suspends the caller until `wake`, or until its task is cancelled.
    func wait() async {
        loop.preconditionInLoop()
        precondition(!isTaken, "a task is waiting already")
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                if Task.isCancelled { continuation.resume() } else { self.continuation = continuation }
            }
        } onCancel: {
            loop.execute { [self] in wake() }
        }
    }

    /// Resumes the task.
    func wake() {
        let continuation = self.continuation
        self.continuation = nil
        continuation?.resume()
    }
}

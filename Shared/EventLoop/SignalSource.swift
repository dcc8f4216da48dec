internal import CSystem
internal import Glibc

/// Delivers process signals to a callback on a loop.
///
/// Create it before any thread starts: it blocks the signals in the calling thread and in all threads started later.
public final class SignalSource: Channel, @unchecked Sendable {
    private let handler: @Sendable (Int32) -> Void

    /// Blocks `signals`; `handler` receives them once `start` is called.
    public init(_ signals: [Int32], handler: @escaping @Sendable (Int32) -> Void) {
        self.handler = handler
        let descriptor = cs_signalfd(signals, Int32(signals.count))
        precondition(descriptor >= 0, "signalfd failed with errno \(errno)")
        super.init(descriptor: descriptor)
    }

    deinit { close(descriptor) }

    /// Starts delivery on `loop`; from any thread.
    public func start(on loop: EventLoop) {
        loop.execute { loop.register(self, for: .readable) }
    }

    public override func ready(_ events: IOEvents) {
        while case let signal = cs_signal_next(descriptor), signal != 0 { handler(signal) }
    }
}

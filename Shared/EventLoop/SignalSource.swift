internal import CSystem
internal import Glibc

/// Delivers process signals to a loop instead of to a handler.
///
/// Make it before any thread starts: the signals are blocked in the calling thread and in all that it starts later.
public final class SignalSource: Channel, @unchecked Sendable {
    private let handler: @Sendable (Int32) -> Void

    /// Blocks `signals`; `handler` gets them once `start` is called.
    public init(_ signals: [Int32], handler: @escaping @Sendable (Int32) -> Void) {
        self.handler = handler
        let descriptor = cs_signalfd(signals, Int32(signals.count))
        precondition(descriptor >= 0, "signalfd: \(errno)")
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

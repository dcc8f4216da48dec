import EventLoop
import Wire

/// The moment at which a search ends with the messages found until then.
struct SearchDeadline: Sendable {
    private let moment: UInt64

    init(after time: Duration) {
        moment = EventLoop.preciseNow + time.wholeNanoseconds
    }

    /// The time until then; nil if it has passed.
    var rest: Duration? {
        let now = EventLoop.preciseNow
        return now < moment ? .nanoseconds(Int64(moment - now)) : nil
    }
}

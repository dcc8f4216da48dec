internal import EventLoop

/// Counts calls and failures in two intervals: the current one and the one before.
struct FailureWindow {
    private struct Interval {
        var calls = 0
        var failures = 0
    }

    private let halfLength: UInt64
    private var current = Interval()
    private var previous = Interval()
    private var currentNumber: UInt64 = 0

    init(half: Duration) { halfLength = max(1, half.wholeNanoseconds) }

    var calls: Int { current.calls + previous.calls }

    /// The share of failed calls: 0 ... 1.
    var share: Double { calls == 0 ? 0 : Double(current.failures + previous.failures) / Double(calls) }

    mutating func count(isFailure: Bool, at now: UInt64) {
        let number = now / halfLength
        if number != currentNumber {
            previous = number == currentNumber + 1 ? current : Interval()
            current = Interval()
            currentNumber = number
        }
        current.calls += 1
        if isFailure { current.failures += 1 }
    }
}

import EventLoop
import Glibc
import TestSupport

/// Starts the journeys of an open loop at a fixed rate, from a thread that sleeps until each moment.
///
/// Timers of an event loop fire up to 4 ms late. Journeys started by them would come in bursts and include that delay
/// in their latency.
struct Pace: Sendable {
    /// Journeys per second.
    let rate: Double
    /// Monotonic nanoseconds.
    let start, end: UInt64

    /// Moments closer together than this are reported together; nanoseconds.
    private static let leastPause: UInt64 = 200_000

    /// Calls `tell` on `loop` with the moments that have passed, and `finish` after the last one.
    func run(
        on loop: EventLoop, _ tell: @escaping @Sendable ([UInt64]) -> Void, finish: @escaping @Sendable () -> Void
    ) {
        Task {
            await onOwnThread { beat { moments in loop.execute { tell(moments) } } }
            loop.execute(finish)
        }
    }

    private func beat(_ tell: ([UInt64]) -> Void) {
        var next = 0
        var told: UInt64 = 0
        while true {
            let moment = moment(next)
            Self.sleep(until: min(end, max(moment, told + Self.leastPause)))
            guard moment < end else { return }
            told = EventLoop.preciseNow
            var come: [UInt64] = []
            while self.moment(next) <= told, self.moment(next) < end {
                come.append(self.moment(next))
                next += 1
            }
            tell(come)
        }
    }

    private func moment(_ number: Int) -> UInt64 { start + UInt64(Double(number) / rate * 1e9) }

    private static func sleep(until moment: UInt64) {
        var time = timespec(tv_sec: Int(moment / 1_000_000_000), tv_nsec: Int(moment % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    }
}

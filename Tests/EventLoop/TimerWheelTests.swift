import TestSupport
import Testing

@testable import EventLoop

/// Compares the wheel with a model, a plain list of deadlines.
@Suite struct TimerWheelTests {
    private static let tick = TimerWheel.tick

    /// Fires everything that is due, as the loop does, and returns the timers that fired.
    private func advance(_ wheel: inout TimerWheel, to now: UInt64) -> [ObjectIdentifier] {
        var due: [LoopTimer] = []
        wheel.takeDue(upTo: now, into: &due)
        for timer in due { timer.fireIfDue() }
        return due.map { ObjectIdentifier($0) }
    }

    @Test(
        "Random starts, moves, cancellations and pauses fire each timer at most a tick late and never early",
        arguments: 0..<20)
    func model(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let loop = EventLoop()
        var now: UInt64 = 1_000_000_000 + seed * 777_777
        loop.wheel = TimerWheel(now: now)
        var timers: [LoopTimer] = []
        var deadlines: [ObjectIdentifier: UInt64] = [:]
        for _ in 0..<3000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...2:
                let deadline = now + UInt64.random(in: 0...40_000_000_000, using: &random)
                let timer = LoopTimer(loop: loop, deadline: deadline) {}
                loop.wheel.insert(timer)
                timers.append(timer)
                deadlines[ObjectIdentifier(timer)] = deadline
            case 3...5:
                guard let timer = timers.randomElement(using: &random) else { continue }
                let deadline = now + UInt64.random(in: 0...12_000_000_000, using: &random)
                loop.wheel.move(timer, to: deadline)
                deadlines[ObjectIdentifier(timer)] = deadline
            case 6:
                guard let timer = timers.randomElement(using: &random) else { continue }
                loop.wheel.remove(timer)
                deadlines[ObjectIdentifier(timer)] = nil
            default:
                let isLong = Int.random(in: 0..<20, using: &random) == 0
                now += UInt64.random(in: 0...(isLong ? 30_000_000_000 : 60_000_000), using: &random)
                for identifier in advance(&loop.wheel, to: now) {
                    let deadline = deadlines.removeValue(forKey: identifier)
                    #expect(deadline != nil && deadline! <= now, "a timer fired early or after it was cancelled")
                }
                let late = deadlines.values.filter { $0 + Self.tick <= now }
                #expect(late.isEmpty, "a timer did not fire")
            }
            #expect(loop.wheel.count == deadlines.count)
            if let next = deadlines.values.min() {
                // A loop that sleeps until `nextDue` misses no timer.
                #expect(loop.wheel.nextDue.map { $0 <= next + Self.tick } == true)
            } else {
                #expect(loop.wheel.nextDue == nil)
            }
        }
    }

    @Test("Restarting one of 100,000 idle time-outs costs about as much as one of a hundred, and the loop stays idle")
    func hundredThousand() async throws {
        try await onLoop { loop in
            func cost(of count: Int) -> UInt64 {
                let timers = (0..<count).map { loop.schedule(after: .milliseconds(60_000 + $0 % 15_000)) {} }
                let start = threadTime()
                for round in 0..<(1_000_000 / count) {
                    for timer in timers { timer.restart(at: loop.now + 60_000_000_000 + UInt64(round)) }
                }
                let cost = threadTime() - start
                for timer in timers { timer.cancel() }
                return cost
            }
            _ = cost(of: 100)
            let (few, many) = (cost(of: 100), cost(of: 100_000))
            // The remaining difference is a cache miss for each timer, far below the hundredfold cost of a search.
            #expect(many < few * 15, "\(few / 1_000_000) ns with a hundred, \(many / 1_000_000) ns with 100,000")

            let timers = (0..<100_000).map { loop.schedule(after: .milliseconds(60_000 + $0 % 15_000)) {} }
            try await loop.sleep(for: .milliseconds(50))
            let start = threadTime()
            try await loop.sleep(for: .milliseconds(500))
            let share = Double(threadTime() - start) / 500_000_000
            #expect(share < 0.15, "an idle loop takes \(share) of a core")
            for timer in timers { timer.cancel() }
        }
    }
}

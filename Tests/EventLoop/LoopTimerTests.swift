import Testing

@testable import EventLoop

@Suite struct LoopTimerTests {
    @Test("A timer that another timer of the same turn cancels or moves does not run in that turn")
    func sameTurn() {
        let loop = EventLoop()
        let order = Order()
        var now: UInt64 = 1_000_000_000
        loop.wheel = TimerWheel(now: now)
        func timer(_ number: Int, _ action: @escaping () -> Void = {}) -> LoopTimer {
            let timer = LoopTimer(loop: loop, deadline: now + 5_000_000) {
                order.note(number)
                action()
            }
            loop.wheel.insert(timer)
            return timer
        }
        var others: [LoopTimer] = []
        let first = timer(1) {
            loop.wheel.remove(others[0])
            loop.wheel.move(others[1], to: now + 20_000_000)
        }
        others = [timer(2), timer(3), timer(4)]
        func fireDue() {
            var due: [LoopTimer] = []
            loop.wheel.takeDue(upTo: now, into: &due)
            for timer in due { timer.fireIfDue() }
        }
        now += 10_000_000
        fireDue()
        #expect(order.numbers == [1, 4])
        #expect(!first.isPending && !others[0].isPending && others[1].isPending && !others[2].isPending)
        now += 30_000_000
        fireDue()
        #expect(order.numbers == [1, 4, 3])
    }

    @Test("A timer fires once, may be restarted, and does not fire after it was cancelled")
    func restarting() async throws {
        try await onLoop { loop in
            let order = Order()
            let timer = loop.schedule(after: .milliseconds(1)) { order.note(1) }
            #expect(timer.isPending)
            while timer.isPending { try await loop.sleep(for: .milliseconds(1)) }
            #expect(order.numbers == [1])
            timer.restart(after: .milliseconds(1))
            while timer.isPending { try await loop.sleep(for: .milliseconds(1)) }
            #expect(order.numbers == [1, 1])
            timer.restart(after: .milliseconds(1))
            timer.cancel()
            try await loop.sleep(for: .milliseconds(20))
            #expect(order.numbers == [1, 1])
        }
    }
}

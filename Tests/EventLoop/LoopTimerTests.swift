import EventLoop
import Glibc
import Testing

@Suite struct LoopTimerTests {
    @Test("A timer that another one of the same turn cancels or moves does not run in that turn")
    func sameTurn() async throws {
        let group = EventLoopGroup(count: 1)
        let loop = group.loops[0]
        let ran = try await loop.run {
            let log = Log()
            let timers = (0..<3).map { number in loop.schedule(after: .milliseconds(10)) { log.ran.append(number) } }
            loop.schedule(after: .milliseconds(1)) {
                log.ran.append(-1)
                timers[0].cancel()
                timers[1].restart(after: .milliseconds(40))
            }
            // When the loop looks again, all are due.
            usleep(30_000)
            try await loop.sleep(for: .milliseconds(20))
            let early = log.ran
            #expect(!timers[0].isPending && timers[1].isPending && !timers[2].isPending)
            try await loop.sleep(for: .milliseconds(60))
            return [early, log.ran]
        }
        #expect(ran == [[-1, 2], [-1, 2, 1]])
        group.stop()
    }

    private final class Log { var ran: [Int] = [] }
}

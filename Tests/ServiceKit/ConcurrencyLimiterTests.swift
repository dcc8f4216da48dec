import EventLoop
import Testing

@testable import ServiceKit

@Suite("Concurrency limiter")
struct ConcurrencyLimiterTests {
    /// - Note: `@unchecked Sendable` because it is confined to its loop.
    private final class Record: @unchecked Sendable {
        var running = 0
        var most = 0
        var order: [Int] = []
    }

    @Test("At most the given number of tasks run at a time, and the others follow in order, even after a failure")
    func bounded() async throws {
        let group = EventLoopGroup(count: 1)
        defer { group.stop() }
        let loop = group.loops[0]
        try await loop.run {
            let limiter = ConcurrencyLimiter(3)
            let record = Record()
            var tasks: [Task<Void, any Error>] = []
            for number in 0..<20 {
                tasks.append(
                    Task.immediate(executorPreference: loop) {
                        try await limiter.run {
                            record.running += 1
                            defer { record.running -= 1 }
                            record.most = max(record.most, record.running)
                            record.order.append(number)
                            try await loop.sleep(for: .milliseconds(1))
                            if number % 4 == 0 { throw CancellationError() }
                        }
                    })
            }
            for task in tasks { _ = await task.result }
            #expect(record.most == 3)
            #expect(record.order == Array(0..<20))
        }
    }
}

import EventLoop
import Testing

@Suite struct SleepTests {
    @Test("A sleep never ends early, and it ends on the sleeper's loop")
    func sleeping() async throws {
        try await withLoops(2) { group in
            let loop = group.loops[1]
            try await loop.run {
                for milliseconds in [1, 5, 20, 9] {
                    let start = EventLoop.preciseNow
                    try await loop.sleep(for: .milliseconds(milliseconds))
                    #expect(EventLoop.preciseNow - start >= UInt64(milliseconds) * 1_000_000)
                    #expect(EventLoop.current === loop)
                }
            }
        }
    }

    @Test("A cancelled sleep ends at once, whether it was cancelled before it began or later")
    func cancelling() async throws {
        try await withLoops { group in
            let loop = group.loops[0]
            let early = Task { try await loop.sleep(for: .seconds(3600)) }
            early.cancel()
            await #expect(throws: CancellationError.self) { try await early.value }
            let (begun, begin) = AsyncStream<Void>.makeStream()
            let late = Task(executorPreference: loop) {
                begin.yield()
                try await loop.sleep(for: .seconds(3600))
            }
            for await _ in begun { break }
            late.cancel()
            await #expect(throws: CancellationError.self) { try await late.value }
        }
    }

    @Test("A loop that ends wakes its sleepers")
    func ending() async throws {
        let group = EventLoopGroup(count: 1)
        let loop = group.loops[0]
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let sleeper = Task(executorPreference: loop) {
            begin.yield()
            try await loop.sleep(for: .seconds(3600))
        }
        for await _ in begun { break }
        group.stop()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }
}

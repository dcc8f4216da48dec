import EventLoop
import Glibc
import Synchronization
import Testing

@Suite struct BlockingPoolTests {
    /// Blocks the threads that call `pass` until `open`.
    private final class Gate: Sendable {
        private let isOpen = Atomic<Bool>(false)

        func open() { isOpen.store(true, ordering: .releasing) }

        func pass() { while !isOpen.load(ordering: .acquiring) { usleep(500) } }
    }

    @Test("Results and errors come back to the caller's executor")
    func results() async throws {
        struct Failed: Error {}
        let pool = BlockingPool(threads: 2, limit: 10)
        defer { pool.stop() }
        try await onLoop { loop in
            let value = try await pool.run { EventLoop.current == nil ? 42 : 0 }
            #expect(value == 42)
            #expect(EventLoop.current === loop)
            await #expect(throws: Failed.self) { try await pool.run { throw Failed() } }
            #expect(EventLoop.current === loop)
        }
    }

    @Test("Work beyond the limit is refused at once, and queued work runs in order")
    func shedding() async throws {
        let pool = BlockingPool(threads: 1, limit: 3)
        defer { pool.stop() }
        let gate = Gate()
        let (began, begin) = AsyncStream<Void>.makeStream()
        let order = Order()
        async let first: Void = pool.run {
            begin.yield()
            gate.pass()
        }
        for await _ in began { break }
        let waiting = (0..<3).map { number in
            Task {
                // The pieces are offered one after the other.
                while pool.waiting < number { await Task.yield() }
                try await pool.run { order.note(number) }
            }
        }
        while pool.waiting < 3 { await Task.yield() }
        await #expect(throws: BlockingPool.Full.self) { try await pool.run { order.note(99) } }
        gate.open()
        try await first
        for task in waiting { try await task.value }
        #expect(order.numbers == [0, 1, 2])
        #expect(try await pool.run { true })
    }

    @Test("A stopped pool finishes queued work and refuses further work")
    func stopping() async throws {
        let pool = BlockingPool(threads: 2, limit: 100)
        let gate = Gate()
        let works = (0..<20).map { _ in Task { try await pool.run { gate.pass() } } }
        while pool.waiting < 18 { await Task.yield() }
        pool.stop()
        gate.open()
        for work in works { try await work.value }
        await #expect(throws: BlockingPool.Full.self) { try await pool.run {} }
    }

    @Test("A pool of idle priority runs its threads with SCHED_IDLE")
    func idlePriority() async throws {
        let pool = BlockingPool(threads: 1, limit: 1, priority: .idle)
        defer { pool.stop() }
        let policy = try await pool.run { sched_getscheduler(0) }
        #expect(policy == 5, "SCHED_IDLE")
    }

    @Test("Names are resolved on the pool, numeric ones at once")
    func resolving() async throws {
        let pool = BlockingPool(threads: 1, limit: 4)
        defer { pool.stop() }
        let local = try await Resolver.resolve("localhost", port: 80, on: pool)
        #expect(local.contains { $0.host == "127.0.0.1" || $0.host == "::1" })
        #expect(try await Resolver.resolve("::1", port: 80, on: pool).map(\.description) == ["::1:80"])
        await #expect(throws: SocketError.self) {
            try await Resolver.resolve("no-such-name.invalid", port: 80, on: pool)
        }
    }
}

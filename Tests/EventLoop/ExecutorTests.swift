import EventLoop
import Synchronization
import Testing

@Suite struct ExecutorTests {
    @Test("A task that prefers a loop stays on it after every suspension, and so do its children")
    func preference() async throws {
        try await withLoops(2) { group in
            let loop = group.loops[1]
            try await Task(executorPreference: loop) {
                #expect(EventLoop.current === loop)
                await Task.yield()
                #expect(EventLoop.current === loop)
                try await group.loops[0].run { #expect(EventLoop.current === group.loops[0]) }
                #expect(EventLoop.current === loop)
                await withTaskGroup(of: Void.self) { children in
                    for _ in 0..<3 { children.addTask { #expect(EventLoop.current === loop) } }
                }
                async let child: Bool = { EventLoop.current === loop }()
                #expect(await child)
            }.value
        }
    }

    @Test("An immediate task runs on its caller's stack up to its first suspension")
    func immediate() async throws {
        try await onLoop { loop in
            let order = Order()
            let task = Task.immediate(executorPreference: loop) {
                order.note(1)
                await Task.yield()
                order.note(3)
            }
            order.note(2)
            await task.value
            #expect(order.numbers == [1, 2, 3])
        }
    }

    @Test("Callbacks from many threads all arrive, and each sender's in order")
    func mail() async throws {
        try await withLoops(3) { group in
            let target = group.loops[0]
            let received = group.loops.map { _ in Order() }
            await withTaskGroup(of: Void.self) { senders in
                for (sender, loop) in group.loops.enumerated() {
                    senders.addTask(executorPreference: loop) {
                        for number in 0..<5000 {
                            target.execute { received[sender].note(number) }
                            if number % 100 == 0 { await Task.yield() }
                        }
                    }
                }
            }
            // A task that yields runs after the callbacks that were queued before it.
            try await target.run { await Task.yield() }
            #expect(received.map(\.numbers) == Array(repeating: Array(0..<5000), count: 3))
        }
    }

    @Test("Work for the end of a turn runs once, after the turn's jobs and callbacks")
    func endOfTick() async throws {
        try await onLoop { loop in
            let order = Order()
            loop.executeAtEndOfTurn { order.note(3) }
            loop.execute { order.note(1) }
            loop.execute { loop.execute { order.note(2) } }
            try await loop.sleep(for: .milliseconds(10))
            #expect(order.numbers == [1, 2, 3])
        }
    }

    @Test("LoopLocal gives every loop its own value")
    func loopLocal() async throws {
        try await withLoops(3) { group in
            let local = LoopLocal(group) { Order(startingWith: $0.index) }
            for loop in group.loops {
                let numbers = try await loop.run { local.current.numbers }
                #expect(numbers == [loop.index])
            }
            local.forEach { $0.note(7) }
            for loop in group.loops {
                let numbers = try await loop.run {
                    await Task.yield()
                    return local.current.numbers
                }
                #expect(numbers == [loop.index, 7])
            }
        }
    }

    @Test("LoopLocal has no value for a loop of another group")
    func foreignLoopLocal() async throws {
        await #expect(processExitsWith: .failure) {
            let group = EventLoopGroup(count: 1)
            let local = LoopLocal(group) { $0.index }
            _ = try await EventLoopGroup(count: 1).loops[0].run { local.current }
        }
    }

    @Test("Touching a loop's state from another thread ends the process")
    func confinement() async throws {
        await #expect(processExitsWith: .failure) {
            EventLoopGroup(count: 1).loops[0].schedule(after: .seconds(1)) {}
        }
    }

    @Test("Cancelling a caller that waits for work on a loop cancels the work")
    func cancelling() async throws {
        try await withLoops { group in
            let loop = group.loops[0]
            let waiting = Task { try await loop.run { try await loop.sleep(for: .seconds(3600)) } }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
    }

    @Test("Two loops that call each other lose no wake-up")
    func pingPong() async throws {
        try await withLoops(2) { group in
            let (one, two) = (group.loops[0], group.loops[1])
            let total = try await one.run {
                var total = 0
                for number in 0..<3000 { total += try await two.run { number } }
                return total
            }
            #expect(total == 2999 * 3000 / 2)
        }
    }
}

/// The numbers in the order in which they were noted.
final class Order: Sendable {
    private let noted: Mutex<[Int]>

    init(startingWith number: Int? = nil) { noted = Mutex(number.map { [$0] } ?? []) }

    var numbers: [Int] { noted.withLock { $0 } }

    func note(_ number: Int) { noted.withLock { $0.append(number) } }
}

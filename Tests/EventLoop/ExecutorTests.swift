import EventLoop
import Synchronization
import Testing

@Suite struct ExecutorTests {
    @Test("A task that prefers a loop stays on it, behind every suspension and in its children")
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

    private actor Resident {
        let loop: EventLoop
        var count = 0

        init(loop: EventLoop) { self.loop = loop }

        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.actors.asUnownedSerialExecutor() }

        func work() async -> Bool {
            count += 1
            let before = EventLoop.current === loop
            await Task.yield()
            return before && EventLoop.current === loop
        }

        nonisolated func assume() -> Int { assumeIsolated { $0.count } }
    }

    @Test("An actor that lives on a loop runs there, whoever calls it")
    func actors() async throws {
        try await withLoops(2) { group in
            let resident = Resident(loop: group.loops[0])
            #expect(await resident.work())
            for loop in group.loops {
                let isAtHome = try await loop.run { await resident.work() }
                #expect(isAtHome)
            }
            let count = try await group.loops[0].run { resident.assume() }
            #expect(count == 3)
        }
    }

    @Test("An immediate task runs in the middle of its caller up to its first suspension")
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

    @Test("Mail from many threads arrives complete, and each sender's in order")
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
            // A task that yields comes after the mail that was there before it.
            try await target.run { await Task.yield() }
            #expect(received.map(\.numbers) == Array(repeating: Array(0..<5000), count: 3))
        }
    }

    @Test("What is left for the end of a turn runs once, after its jobs and mail")
    func endOfTick() async throws {
        try await onLoop { loop in
            let order = Order()
            loop.atEndOfTick { order.note(3) }
            loop.execute { order.note(1) }
            loop.execute { loop.execute { order.note(2) } }
            try await loop.sleep(for: .milliseconds(10))
            #expect(order.numbers == [1, 2, 3])
        }
    }

    @Test("A loop's own value is found on it, and every loop has another")
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

    @Test("Another group's loop has no value of this one")
    func foreignLoopLocal() async throws {
        await #expect(processExitsWith: .failure) {
            let group = EventLoopGroup(count: 1)
            let local = LoopLocal(group) { $0.index }
            _ = try await EventLoopGroup(count: 1).loops[0].run { local.current }
        }
    }

    @Test("Whoever touches a loop's state from another thread is stopped")
    func confinement() async throws {
        await #expect(processExitsWith: .failure) {
            EventLoopGroup(count: 1).loops[0].schedule(after: .seconds(1)) {}
        }
    }

    @Test("Cancelling who waits for work on a loop cancels the work")
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

/// Numbers in the order in which they were noted.
final class Order: Sendable {
    private let noted: Mutex<[Int]>

    init(startingWith number: Int? = nil) { noted = Mutex(number.map { [$0] } ?? []) }

    var numbers: [Int] { noted.withLock { $0 } }

    func note(_ number: Int) { noted.withLock { $0.append(number) } }
}

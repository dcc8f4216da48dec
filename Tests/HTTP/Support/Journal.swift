import EventLoop
import Glibc
import Synchronization
import TestSupport

/// Events in order, read by a test on a thread that may block.
final class Journal<Event: Sendable>: Sendable {
    private let events = Mutex<[Event]>([])

    func note(_ event: Event) { events.withLock { $0.append(event) } }

    /// The events that were not taken.
    var all: [Event] { events.withLock(\.self) }

    /// Waits for the next event, up to a minute.
    func next() throws -> Event {
        for _ in 0..<60_000 {
            if let event = events.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return event }
            usleep(1000)
        }
        throw NeverHappened(description: "another event")
    }
}

/// Suspends handlers until it is opened, without blocking their loop.
final class Gate: Sendable {
    private let state = Atomic<Bool>(false)

    func open() { state.store(true, ordering: .releasing) }

    /// Suspends on the caller's loop; throws when the task is cancelled.
    func pass() async throws {
        while !state.load(ordering: .acquiring) { try await EventLoop.current?.sleep(for: .milliseconds(1)) }
    }
}

/// A counter for any thread.
final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    func add(_ difference: Int = 1) { count.add(difference, ordering: .relaxed) }
}

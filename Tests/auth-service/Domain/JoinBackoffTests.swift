import EventLoop
import Testing

@testable import auth_service

@Suite("The back-off of joins")
struct JoinBackoffTests {
    private static let second: UInt64 = 1_000_000_000
    private static let limits = JoinBackoff.Limits(free: 3, wait: .seconds(10), memory: .seconds(3600))
    private var backoff = JoinBackoff(limits, capacity: 100)
    private var now = 10_000 * second

    private mutating func join(_ address: String = "192.0.2.1") -> Duration? { backoff.take(address, now: now) }

    @Test("The free joins cost nothing, and then the waits double up to the limit")
    mutating func growing() {
        for _ in 1...3 { #expect(join() == nil) }
        var waits: [Duration] = []
        for _ in 1...6 {
            let wait = join()
            waits.append(wait ?? .zero)
            #expect(join() == wait, "a refused join costs nothing")
            now += (wait ?? .zero).wholeNanoseconds - 1
            #expect(join() == .nanoseconds(1), "the rest of the wait is told")
            now += 1
            #expect(join() == nil)
        }
        #expect(waits == [1, 2, 4, 8, 10, 10].map { .seconds($0) })
        #expect(join("192.0.2.2") == nil, "another address")
    }

    @Test("The joins of an address are forgotten after the memory, counted from the last one")
    mutating func forgotten() {
        for _ in 1...3 { _ = join() }
        now += 3599 * Self.second
        #expect(join() == nil)
        now += Self.second
        #expect(join() == .seconds(1), "the memory begins with each join")
        now += 3600 * Self.second
        for _ in 1...3 { #expect(join() == nil) }
        #expect(join() == .seconds(1))
    }

    @Test("A longest wait below a second and very many joins work")
    mutating func extremes() {
        backoff = JoinBackoff(JoinBackoff.Limits(free: 1, wait: .milliseconds(100), memory: .seconds(60)), capacity: 1)
        for _ in 1...100 {
            #expect(join() == nil)
            #expect(join() == .milliseconds(100))
            now += Self.second / 10
        }
    }

    @Test("A full table stays bounded, and its new addresses share one count with the same waits")
    mutating func bounded() {
        for number in 0..<100 { #expect(join("\(number)") == nil) }
        var admitted = 0
        for number in 100..<10_000 where join("\(number)") == nil { admitted += 1 }
        #expect(backoff.count == 100)
        #expect(admitted == 3)
        #expect(join("0") == nil, "a known address keeps its own count")
        now += 3600 * Self.second
        #expect(join("new") == nil)
        #expect(backoff.count == 1, "forgotten addresses make room")
    }

    @Test("A full table is swept at intervals, not with each new address")
    mutating func sweeps() {
        for number in 0..<100 { _ = join("\(number)") }
        _ = join("a")
        // The addresses are forgotten a moment after the sweep of the address before.
        now += 3600 * Self.second - 1
        _ = join("b")
        now += 1
        for number in 0..<10 { _ = join("c\(number)") }
        #expect(backoff.count == 100)
        now += 3600 / 16 * Self.second
        #expect(join("d") == nil)
        #expect(backoff.count == 1)
    }
}

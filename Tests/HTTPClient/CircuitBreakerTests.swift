import HTTP
import Testing

@Suite struct CircuitBreakerTests {
    private static let second: UInt64 = 1_000_000_000
    private let start = 1000 * second

    @Test("The breaker opens once half of the calls have failed, if there were enough calls")
    func opening() throws {
        var breaker = CircuitBreaker()
        try call(&breaker, .success, times: 5, at: start)
        try call(&breaker, .failure, times: 4, at: start)
        #expect(isAdmitted(&breaker, at: start))
        try call(&breaker, .failure, at: start)
        #expect(!isAdmitted(&breaker, at: start))
    }

    @Test("Few failures in a quiet time, or many among more successes, leave the breaker closed")
    func stayingClosed() throws {
        var quiet = CircuitBreaker()
        try call(&quiet, .failure, times: 9, at: start)
        #expect(isAdmitted(&quiet, at: start))
        var busy = CircuitBreaker()
        for _ in 0..<100 {
            try call(&busy, .success, times: 6, at: start)
            try call(&busy, .failure, times: 4, at: start)
        }
        #expect(isAdmitted(&busy, at: start))
    }

    @Test("Failures outside the window do not count")
    func forgetting() throws {
        var breaker = CircuitBreaker()
        for number in 0..<100 { try call(&breaker, .failure, at: start + UInt64(number) * 2 * Self.second) }
        #expect(isAdmitted(&breaker, at: start + 200 * Self.second))
        try call(&breaker, .failure, times: 8, at: start + 201 * Self.second)
        #expect(!isAdmitted(&breaker, at: start + 201 * Self.second))
    }

    @Test("An open breaker admits nothing for its time, then one probe, and closes if the probe succeeds")
    func probing() throws {
        var breaker = try opened()
        #expect(!isAdmitted(&breaker, at: start + Self.second - 1))
        let probe = try admit(&breaker, at: start + Self.second)
        #expect(!isAdmitted(&breaker, at: start + Self.second))
        breaker.record(.success, of: probe, at: start + Self.second)
        #expect(isAdmitted(&breaker, at: start + Self.second))
        try call(&breaker, .failure, times: 9, at: start + Self.second)
        #expect(isAdmitted(&breaker, at: start + Self.second))
    }

    @Test("A failed probe opens the breaker for twice as long, up to a limit; a success resets the time")
    func backingOff() throws {
        var breaker = try opened()
        var now = start
        for wait in [1, 2, 4, 8, 16, 30, 30] as [UInt64] {
            #expect(!isAdmitted(&breaker, at: now + wait * Self.second - 1))
            now += wait * Self.second
            try call(&breaker, .failure, at: now)
        }
        now += 30 * Self.second
        try call(&breaker, .success, at: now)
        try call(&breaker, .failure, times: 10, at: now)
        #expect(!isAdmitted(&breaker, at: now + Self.second - 1))
        #expect(isAdmitted(&breaker, at: now + Self.second))
    }

    @Test("Outcomes of calls admitted before a change of state are ignored")
    func lateOutcomes() throws {
        var breaker = CircuitBreaker()
        let old = try admit(&breaker, at: start)
        try call(&breaker, .failure, times: 10, at: start)
        breaker.record(.success, of: old, at: start)
        #expect(!isAdmitted(&breaker, at: start))
        let probe = try admit(&breaker, at: start + Self.second)
        breaker.record(.failure, of: old, at: start + Self.second)
        breaker.record(.success, of: probe, at: start + Self.second)
        #expect(isAdmitted(&breaker, at: start + Self.second))
    }

    @Test("A probe that is cancelled or never reported makes room for another")
    func lostProbes() throws {
        var breaker = try opened()
        let cancelled = try admit(&breaker, at: start + Self.second)
        breaker.record(.unknown, of: cancelled, at: start + Self.second)
        let lost = try admit(&breaker, at: start + Self.second)
        #expect(!isAdmitted(&breaker, at: start + 2 * Self.second - 1))
        let next = try admit(&breaker, at: start + 2 * Self.second)
        breaker.record(.failure, of: lost, at: start + 2 * Self.second)
        breaker.record(.success, of: next, at: start + 2 * Self.second)
        #expect(isAdmitted(&breaker, at: start + 2 * Self.second))
    }

    @Test("Cancelled calls count neither as success nor as failure")
    func unknownOutcomes() throws {
        var breaker = CircuitBreaker()
        try call(&breaker, .unknown, times: 1000, at: start)
        try call(&breaker, .failure, times: 9, at: start)
        #expect(isAdmitted(&breaker, at: start))
    }

    private func opened() throws -> CircuitBreaker {
        var breaker = CircuitBreaker()
        try call(&breaker, .failure, times: 10, at: start)
        return breaker
    }

    private func isAdmitted(_ breaker: inout CircuitBreaker, at now: UInt64) -> Bool { breaker.admit(at: now) != nil }

    private func admit(_ breaker: inout CircuitBreaker, at now: UInt64) throws -> CircuitBreaker.Admission {
        let admission = breaker.admit(at: now)
        return try #require(admission)
    }

    private func call(
        _ breaker: inout CircuitBreaker, _ outcome: CircuitBreaker.Outcome, times: Int = 1, at now: UInt64
    ) throws {
        for _ in 0..<times {
            let admission = try admit(&breaker, at: now)
            breaker.record(outcome, of: admission, at: now)
        }
    }
}

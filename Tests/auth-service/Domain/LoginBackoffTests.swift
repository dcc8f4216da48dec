import Testing

@testable import auth_service

@Suite("The back-off of logins")
struct LoginBackoffTests {
    private static let second: UInt64 = 1_000_000_000
    private var backoff = LoginBackoff(capacity: 100)
    private var now = 1_000 * second

    private func attempt(_ account: String?, _ address: String = "192.0.2.1") -> LoginBackoff.Attempt {
        LoginBackoff.Attempt(account: account, address: address)
    }

    @Test("Four failures cost nothing, and from the fifth the waits double up to a minute")
    mutating func growing() {
        let victim = attempt("a@b.kr")
        for _ in 1...4 { backoff.failed(victim, now: now) }
        #expect(backoff.wait(of: victim, now: now) == nil)
        var waits: [Duration] = []
        for _ in 1...9 {
            backoff.failed(victim, now: now)
            waits.append(backoff.wait(of: victim, now: now) ?? .zero)
            now += 60 * Self.second
            #expect(backoff.wait(of: victim, now: now) == nil, "a wait ends by itself")
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    }

    @Test("The wait that is told is what is left of it")
    mutating func rest() {
        let victim = attempt("a@b.kr")
        for _ in 1...8 { backoff.failed(victim, now: now) }
        #expect(backoff.wait(of: victim, now: now + 3 * Self.second) == .seconds(5))
        #expect(backoff.wait(of: victim, now: now + 8 * Self.second) == nil)
    }

    @Test("An account's failures count together from whatever addresses, and touch no other account")
    mutating func account() {
        for number in 1...5 { backoff.failed(attempt("a@b.kr", "192.0.2.\(number)"), now: now) }
        #expect(backoff.wait(of: attempt("a@b.kr", "192.0.2.9"), now: now) == .seconds(1))
        #expect(backoff.wait(of: attempt("c@d.kr", "192.0.2.1"), now: now) == nil)
    }

    @Test("An address may fail twenty times over all accounts")
    mutating func address() {
        for number in 1...19 { backoff.failed(attempt("\(number)@b.kr"), now: now) }
        backoff.failed(attempt("20@b.kr", "192.0.2.2"), now: now)
        #expect(backoff.wait(of: attempt("new@b.kr"), now: now) == nil)
        backoff.failed(attempt(nil), now: now)
        #expect(backoff.wait(of: attempt("new@b.kr"), now: now) == .seconds(1))
        #expect(backoff.wait(of: attempt("new@b.kr", "192.0.2.2"), now: now) == nil)
    }

    @Test("Who fails on purpose cannot keep the owner out where the owner has come in before")
    mutating func noLockOut() {
        let owner = attempt("a@b.kr", "198.51.100.1")
        backoff.succeeded(owner)
        for _ in 1...1_000 { backoff.failed(attempt("a@b.kr"), now: now) }
        #expect(backoff.wait(of: attempt("a@b.kr"), now: now) == .seconds(60))
        #expect(backoff.wait(of: owner, now: now) == nil)
        for _ in 1...5 { backoff.failed(owner, now: now) }
        #expect(backoff.wait(of: owner, now: now) == .seconds(1), "guessing from there is slowed down as well")
    }

    @Test("Coming in does not clear what strangers have done to the account")
    mutating func noReset() {
        for _ in 1...6 { backoff.failed(attempt("a@b.kr"), now: now) }
        backoff.succeeded(attempt("a@b.kr", "198.51.100.1"))
        #expect(backoff.wait(of: attempt("a@b.kr"), now: now) == .seconds(2))
    }

    @Test("A quarter of an hour without failures is forgiven")
    mutating func forgiven() {
        for _ in 1...9 { backoff.failed(attempt("a@b.kr"), now: now) }
        now += 15 * 60 * Self.second
        backoff.failed(attempt("a@b.kr"), now: now)
        #expect(backoff.wait(of: attempt("a@b.kr"), now: now) == nil)
    }

    @Test("A table full of live keys stays bounded, and new keys share a count")
    mutating func bounded() {
        var table = FailureTable<Int>(free: 5, capacity: 100)
        for key in 0..<1_000 { table.add(key, now: now) }
        #expect(table.count == 100)
        #expect(table.wait(of: 5_000, now: now) == .seconds(60))
        #expect(table.wait(of: 0, now: now) == nil)
        now += 15 * 60 * Self.second
        table.add(5_001, now: now)
        #expect(table.count == 1)
    }

    @Test("Of acquaintances the last ones are remembered, and not many more")
    func acquaintances() {
        var set = RecentSet<Int>(capacity: 10)
        for number in 0..<100 { set.insert(number) }
        #expect((90..<100).allSatisfy(set.contains))
        #expect((0..<100).filter(set.contains).count <= 20)
    }
}

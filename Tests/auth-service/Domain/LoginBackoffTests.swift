import Testing

@testable import auth_service

@Suite("The back-off of logins")
struct LoginBackoffTests {
    private static let second: UInt64 = 1_000_000_000
    private var backoff = LoginBackoff(capacity: 100)
    private var now = 1_000 * second

    private func attempt(_ email: String?, _ address: String = "192.0.2.1") -> LoginAttempt {
        LoginAttempt(email.flatMap { try? EmailAddress($0) }, from: address)
    }

    private func wait(of attempt: LoginAttempt) -> Duration? { backoff.history(of: attempt, now: now).wait }

    private mutating func fail(_ attempt: LoginAttempt, times: Int = 1) {
        for _ in 0..<times {
            let isKnownPair = backoff.history(of: attempt, now: now).isKnownPair
            backoff.failed(attempt, isKnownPair: isKnownPair, now: now)
        }
    }

    @Test("Four failures cost nothing, and from the fifth the waits double up to a minute")
    mutating func growing() {
        let attacker = attempt("a@b.kr")
        fail(attacker, times: 4)
        #expect(wait(of: attacker) == nil)
        var waits: [Duration] = []
        for _ in 1...9 {
            fail(attacker)
            waits.append(wait(of: attacker) ?? .zero)
            now += 60 * Self.second
            #expect(wait(of: attacker) == nil, "a wait ends")
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    }

    @Test("The reported wait is the remaining time")
    mutating func remainingWait() {
        let attacker = attempt("a@b.kr")
        fail(attacker, times: 8)
        now += 3 * Self.second
        #expect(wait(of: attacker) == .seconds(5))
        now += 5 * Self.second
        #expect(wait(of: attacker) == nil)
    }

    @Test("An account's failures count together from all addresses and do not affect other accounts")
    mutating func account() {
        for number in 1...5 { fail(attempt("a@b.kr", "192.0.2.\(number)")) }
        #expect(wait(of: attempt("a@b.kr", "192.0.2.1")) == .seconds(1))
        #expect(wait(of: attempt("c@d.kr", "192.0.2.1")) == nil)
    }

    @Test("An address may fail twenty times across all accounts")
    mutating func address() {
        for number in 1...19 { fail(attempt("\(number)@b.kr")) }
        fail(attempt("20@b.kr", "192.0.2.2"))
        #expect(wait(of: attempt("new@b.kr")) == nil)
        fail(attempt(nil))
        #expect(wait(of: attempt("new@b.kr")) == .seconds(1))
        #expect(wait(of: attempt("new@b.kr", "192.0.2.2")) == nil)
    }

    @Test("An IPv6 address counts by its /64 network, and an IPv4-mapped address as IPv4")
    mutating func network() {
        for number in 1...20 { fail(attempt("\(number)@b.kr", "2001:db8::\(number)")) }
        #expect(wait(of: attempt("new@b.kr", "2001:db8:0:0:ffff::1")) == .seconds(1))
        #expect(wait(of: attempt("new@b.kr", "2001:db8:0:1::1")) == nil)
        #expect(attempt("a@b.kr", "::ffff:192.0.2.1") == attempt("a@b.kr", "192.0.2.1"))
    }

    @Test("An attacker cannot lock the owner out of an address that the owner has logged in from")
    mutating func noLockOut() {
        let owner = attempt("a@b.kr", "198.51.100.1")
        backoff.succeeded(owner)
        fail(attempt("a@b.kr"), times: 1_000)
        #expect(wait(of: attempt("a@b.kr")) == .seconds(60))
        #expect(wait(of: owner) == nil)
        fail(owner, times: 5)
        #expect(wait(of: owner) == .seconds(1), "guesses from the known address are delayed as well")
    }

    @Test("A new address always gets one attempt, however many attackers fail for however long")
    mutating func newAddress() {
        for round in 1...1_000 {
            fail(attempt("a@b.kr", "192.0.2.\(round % 50)"))
            now += Self.second
            let owner = attempt("a@b.kr", "198.51.100.\(round % 200)")
            #expect(wait(of: owner) == nil)
        }
        let owner = attempt("a@b.kr", "198.51.100.1")
        fail(owner)
        #expect(wait(of: owner) != nil, "a new address gets only one")
    }

    @Test("A login does not clear the failures of other addresses at the account")
    mutating func noReset() {
        fail(attempt("a@b.kr"), times: 6)
        backoff.succeeded(attempt("a@b.kr", "198.51.100.1"))
        #expect(wait(of: attempt("a@b.kr")) == .seconds(2))
    }

    @Test("Failures are forgotten after a quarter of an hour without another one")
    mutating func forgotten() {
        fail(attempt("a@b.kr"), times: 9)
        now += 15 * 60 * Self.second
        fail(attempt("a@b.kr"))
        #expect(wait(of: attempt("a@b.kr")) == nil)
    }

    @Test("Concurrent guesses are limited like consecutive ones")
    mutating func atOnce() {
        let attacker = attempt("a@b.kr")
        var begun = 0
        for _ in 1...100 where wait(of: attacker) == nil {
            backoff.began(attacker)
            begun += 1
        }
        #expect(begun == LoginHistory.freeAccountFailures)
        for _ in 1...begun {
            fail(attacker)
            backoff.ended(attacker)
        }
        now += Self.second
        #expect(wait(of: attacker) == nil)
        backoff.began(attacker)
        #expect(wait(of: attacker) == .seconds(1), "after the free failures, one at a time")
    }

    @Test("Many users can log in from one address at once without waiting for each other")
    mutating func crowd() {
        for number in 1...200 {
            let user = attempt("\(number)@b.kr")
            #expect(wait(of: user) == nil)
            backoff.began(user)
        }
    }

    @Test("Merging two instances' histories keeps the stricter one")
    mutating func merged() {
        let attacker = attempt("a@b.kr")
        fail(attacker, times: 3)
        let here = backoff.history(of: attacker, now: now)
        let record = FailureRecord(failures: 7, age: .seconds(1))
        let shared = LoginHistory(account: record, address: nil, pair: record)
        #expect(here.merged(with: shared).wait == .seconds(4))
        #expect(here.merged(with: nil).wait == nil)
        #expect(here.merged(with: LoginHistory(isKnownPair: true)).isKnownPair)
    }

    @Test("A full table stays bounded, and its new keys share one count")
    mutating func bounded() {
        var table = FailureTable<Int>(capacity: 100)
        for key in 0..<1_000 { table.add(key, now: now) }
        #expect(table.count == 100)
        #expect(table.record(of: 5_000, now: now)?.failures == 900)
        #expect(table.record(of: 0, now: now)?.failures == 1)
        now += 15 * 60 * Self.second
        table.add(5_001, now: now)
        #expect(table.count == 1)
    }

    @Test("A flood that fills the tables does not lock owners out of their own addresses")
    mutating func flooded() {
        let owner = attempt("a@b.kr", "198.51.100.1")
        backoff.succeeded(owner)
        for number in 0..<1_000 { fail(attempt("\(number)@b.kr", "192.0.2.\(number % 250)")) }
        #expect(wait(of: owner) == nil)
        fail(owner, times: 9)
        #expect(wait(of: owner) != nil)
        backoff.succeeded(owner)
        #expect(wait(of: owner) == nil)
    }

    @Test("Only the most recent known pairs are kept")
    func recentSet() {
        var set = RecentSet<Int>(capacity: 10)
        for number in 0..<100 { set.insert(number) }
        #expect((90..<100).allSatisfy(set.contains))
        #expect((0..<100).filter(set.contains).count <= 20)
    }
}

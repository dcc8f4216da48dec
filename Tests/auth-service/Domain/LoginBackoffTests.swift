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

    private func wait(of attempt: LoginAttempt) -> Duration? { backoff.standing(of: attempt, now: now).wait }

    private mutating func fail(_ attempt: LoginAttempt, times: Int = 1) {
        for _ in 0..<times {
            let isAcquainted = backoff.standing(of: attempt, now: now).isAcquainted
            backoff.failed(attempt, isAcquainted: isAcquainted, now: now)
        }
    }

    @Test("Four failures cost nothing, and from the fifth the waits double up to a minute")
    mutating func growing() {
        let guesser = attempt("a@b.kr")
        fail(guesser, times: 4)
        #expect(wait(of: guesser) == nil)
        var waits: [Duration] = []
        for _ in 1...9 {
            fail(guesser)
            waits.append(wait(of: guesser) ?? .zero)
            now += 60 * Self.second
            #expect(wait(of: guesser) == nil, "a wait ends by itself")
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    }

    @Test("The wait that is told is what is left of it")
    mutating func rest() {
        let guesser = attempt("a@b.kr")
        fail(guesser, times: 8)
        now += 3 * Self.second
        #expect(wait(of: guesser) == .seconds(5))
        now += 5 * Self.second
        #expect(wait(of: guesser) == nil)
    }

    @Test("An account's failures count together from whatever addresses, and touch no other account")
    mutating func account() {
        for number in 1...5 { fail(attempt("a@b.kr", "192.0.2.\(number)")) }
        #expect(wait(of: attempt("a@b.kr", "192.0.2.1")) == .seconds(1))
        #expect(wait(of: attempt("c@d.kr", "192.0.2.1")) == nil)
    }

    @Test("An address may fail twenty times over all accounts")
    mutating func address() {
        for number in 1...19 { fail(attempt("\(number)@b.kr")) }
        fail(attempt("20@b.kr", "192.0.2.2"))
        #expect(wait(of: attempt("new@b.kr")) == nil)
        fail(attempt(nil))
        #expect(wait(of: attempt("new@b.kr")) == .seconds(1))
        #expect(wait(of: attempt("new@b.kr", "192.0.2.2")) == nil)
    }

    @Test("In IPv6 the network of 64 bits is the address, and IPv4 written in IPv6 is IPv4")
    mutating func network() {
        for number in 1...20 { fail(attempt("\(number)@b.kr", "2001:db8::\(number)")) }
        #expect(wait(of: attempt("new@b.kr", "2001:db8:0:0:ffff::1")) == .seconds(1))
        #expect(wait(of: attempt("new@b.kr", "2001:db8:0:1::1")) == nil)
        #expect(attempt("a@b.kr", "::ffff:192.0.2.1") == attempt("a@b.kr", "192.0.2.1"))
    }

    @Test("Who fails on purpose cannot keep the owner out where the owner has come in before")
    mutating func noLockOut() {
        let owner = attempt("a@b.kr", "198.51.100.1")
        backoff.succeeded(owner)
        fail(attempt("a@b.kr"), times: 1_000)
        #expect(wait(of: attempt("a@b.kr")) == .seconds(60))
        #expect(wait(of: owner) == nil)
        fail(owner, times: 5)
        #expect(wait(of: owner) == .seconds(1), "guessing from there is slowed down as well")
    }

    @Test("However many fail on purpose for however long, from a new address everybody has a try")
    mutating func newAddress() {
        for turn in 1...1_000 {
            fail(attempt("a@b.kr", "192.0.2.\(turn % 50)"))
            now += Self.second
            let owner = attempt("a@b.kr", "198.51.100.\(turn % 200)")
            #expect(wait(of: owner) == nil)
        }
        let owner = attempt("a@b.kr", "198.51.100.1")
        fail(owner)
        #expect(wait(of: owner) != nil, "but one only")
    }

    @Test("Coming in does not clear what strangers have done to the account")
    mutating func noReset() {
        fail(attempt("a@b.kr"), times: 6)
        backoff.succeeded(attempt("a@b.kr", "198.51.100.1"))
        #expect(wait(of: attempt("a@b.kr")) == .seconds(2))
    }

    @Test("A quarter of an hour without failures is forgiven")
    mutating func forgiven() {
        fail(attempt("a@b.kr"), times: 9)
        now += 15 * 60 * Self.second
        fail(attempt("a@b.kr"))
        #expect(wait(of: attempt("a@b.kr")) == nil)
    }

    @Test("Guesses sent all at once are no more than those sent one after the other")
    mutating func atOnce() {
        let guesser = attempt("a@b.kr")
        var begun = 0
        for _ in 1...100 where wait(of: guesser) == nil {
            backoff.began(guesser)
            begun += 1
        }
        #expect(begun == LoginStanding.freeOfAccount)
        for _ in 1...begun {
            fail(guesser)
            backoff.ended(guesser)
        }
        now += Self.second
        #expect(wait(of: guesser) == nil)
        backoff.began(guesser)
        #expect(wait(of: guesser) == .seconds(1), "and once they are used up, one at a time")
    }

    @Test("Many people who come in at once from one address do not wait for each other")
    mutating func crowd() {
        for number in 1...200 {
            let person = attempt("\(number)@b.kr")
            #expect(wait(of: person) == nil)
            backoff.began(person)
        }
    }

    @Test("What instances know is joined to the stricter of both")
    mutating func joined() {
        let guesser = attempt("a@b.kr")
        fail(guesser, times: 3)
        let here = backoff.standing(of: guesser, now: now)
        let record = FailureRecord(failures: 7, age: .seconds(1))
        let told = LoginStanding(account: record, address: nil, pair: record)
        #expect(here.joined(with: told).wait == .seconds(4))
        #expect(here.joined(with: nil).wait == nil)
        #expect(here.joined(with: LoginStanding(isAcquainted: true)).isAcquainted)
    }

    @Test("A table full of live keys stays bounded, and new keys share a count")
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

    @Test("Of acquaintances the last ones are remembered, and not many more")
    func acquaintances() {
        var set = RecentSet<Int>(capacity: 10)
        for number in 0..<100 { set.insert(number) }
        #expect((90..<100).allSatisfy(set.contains))
        #expect((0..<100).filter(set.contains).count <= 20)
    }
}

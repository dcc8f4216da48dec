/// What one instance remembers of attempts to log in. Times are monotonic nanoseconds.
struct LoginBackoff: Sendable {
    private var accounts: FailureTable<String>
    private var addresses: FailureTable<String>
    private var pairs: FailureTable<LoginAttempt>
    private var acquaintances: RecentSet<LoginAttempt>
    private var underWay: [LoginAttempt: Int] = [:]
    private var underWayAtAccount: [String: Int] = [:]
    private var underWayFromAddress: [String: Int] = [:]

    /// - Parameter capacity: accounts, addresses and pairs of them remembered at most, each.
    init(capacity: Int = 1 << 16) {
        accounts = FailureTable(capacity: capacity)
        addresses = FailureTable(capacity: capacity)
        pairs = FailureTable(capacity: capacity)
        acquaintances = RecentSet(capacity: capacity)
    }

    func standing(of attempt: LoginAttempt, now: UInt64) -> LoginStanding {
        LoginStanding(
            account: attempt.account.flatMap { accounts.record(of: $0, now: now) },
            address: addresses.record(of: attempt.address, now: now), pair: pairs.record(of: attempt, now: now),
            isAcquainted: acquaintances.contains(attempt),
            underWay: LoginStanding.UnderWay(
                account: attempt.account.flatMap { underWayAtAccount[$0] } ?? 0,
                address: underWayFromAddress[attempt.address] ?? 0, pair: underWay[attempt] ?? 0))
    }

    /// The attempt begins; `ended` must follow.
    mutating func began(_ attempt: LoginAttempt) { count(attempt, 1) }

    mutating func ended(_ attempt: LoginAttempt) { count(attempt, -1) }

    /// The password was wrong, or there is no such account. Who has come in from there before fails for themselves alone.
    mutating func failed(_ attempt: LoginAttempt, isAcquainted: Bool, now: UInt64) {
        pairs.add(attempt, now: now)
        if isAcquainted { return }
        if let account = attempt.account { accounts.add(account, now: now) }
        addresses.add(attempt.address, now: now)
    }

    /// The password was right.
    mutating func succeeded(_ attempt: LoginAttempt) {
        acquaintances.insert(attempt)
        pairs.forget(attempt)
    }

    private mutating func count(_ attempt: LoginAttempt, _ step: Int) {
        func add(_ number: inout Int?) {
            number = (number ?? 0) + step
            if number == 0 { number = nil }
        }
        add(&underWay[attempt])
        add(&underWayFromAddress[attempt.address])
        if let account = attempt.account { add(&underWayAtAccount[account]) }
    }
}

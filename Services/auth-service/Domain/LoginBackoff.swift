/// One instance's counts of failed logins and logins in flight. Times are monotonic nanoseconds.
struct LoginBackoff: Sendable {
    private var accounts: FailureTable<String>
    private var addresses: FailureTable<String>
    private var pairs: FailureTable<LoginAttempt>
    /// The failures of known pairs. Only a right sign-in makes a pair known, so a flood of wrong logins cannot fill it.
    private var knownFailures: FailureTable<LoginAttempt>
    private var knownPairs: RecentSet<LoginAttempt>
    private var inFlight: [LoginAttempt: Int] = [:]
    private var inFlightByAccount: [String: Int] = [:]
    private var inFlightByAddress: [String: Int] = [:]

    /// - Parameter capacity: the limit for accounts, for addresses and for pairs of the two.
    init(capacity: Int = 1 << 16) {
        accounts = FailureTable(capacity: capacity)
        addresses = FailureTable(capacity: capacity)
        pairs = FailureTable(capacity: capacity)
        knownFailures = FailureTable(capacity: capacity)
        knownPairs = RecentSet(capacity: capacity)
    }

    /// Returns this instance's history of an attempt before it begins.
    func history(of attempt: LoginAttempt, now: UInt64) -> LoginHistory {
        LoginHistory(
            account: attempt.account.flatMap { accounts.record(of: $0, now: now) },
            address: addresses.record(of: attempt.address, now: now), pair: pairs.record(of: attempt, now: now),
            known: knownFailures.record(of: attempt, now: now), isKnownPair: knownPairs.contains(attempt),
            inFlight: LoginHistory.InFlight(
                account: attempt.account.flatMap { inFlightByAccount[$0] } ?? 0,
                address: inFlightByAddress[attempt.address] ?? 0, pair: inFlight[attempt] ?? 0))
    }

    /// Counts an attempt as in flight; a call of `ended` must follow.
    mutating func began(_ attempt: LoginAttempt) { count(attempt, 1) }

    mutating func ended(_ attempt: LoginAttempt) { count(attempt, -1) }

    /// Counts a wrong password or an unknown account. A failure of a known pair counts for that pair alone.
    mutating func failed(_ attempt: LoginAttempt, isKnownPair: Bool, now: UInt64) {
        if isKnownPair { return knownFailures.add(attempt, now: now) }
        pairs.add(attempt, now: now)
        if let account = attempt.account { accounts.add(account, now: now) }
        addresses.add(attempt.address, now: now)
    }

    /// Remembers the pair of account and address after the right password, and clears its failures.
    mutating func succeeded(_ attempt: LoginAttempt) {
        knownPairs.insert(attempt)
        pairs.remove(attempt)
        knownFailures.remove(attempt)
    }

    private mutating func count(_ attempt: LoginAttempt, _ step: Int) {
        func add(_ number: inout Int?) {
            number = (number ?? 0) + step
            if number == 0 { number = nil }
        }
        add(&inFlight[attempt])
        add(&inFlightByAddress[attempt.address])
        if let account = attempt.account { add(&inFlightByAccount[account]) }
    }
}

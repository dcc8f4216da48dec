/// Slows down who guesses passwords, by account and by address, with waits that grow up to a minute.
///
/// Who has come in from an address before has a count of their own there: a stranger who fails on purpose, however long,
/// keeps no owner out.
struct LoginBackoff: Sendable {
    struct Attempt: Sendable, Hashable {
        /// The key of the email; nil where it is no email.
        let account: String?
        let address: String
    }

    private var accounts: FailureTable<String>
    private var addresses: FailureTable<String>
    private var acquainted: FailureTable<Attempt>
    private var acquaintances: RecentSet<Attempt>

    private static let freeOfAccount = 5
    private static let freeOfAddress = 20

    /// - Parameter capacity: accounts, addresses and pairs of them remembered at most, each.
    init(capacity: Int = 1 << 16) {
        accounts = FailureTable(free: Self.freeOfAccount, capacity: capacity)
        addresses = FailureTable(free: Self.freeOfAddress, capacity: capacity)
        acquainted = FailureTable(free: Self.freeOfAccount, capacity: capacity)
        acquaintances = RecentSet(capacity: capacity)
    }

    /// How long the attempt has to wait; nil when it may begin. Times are monotonic nanoseconds.
    func wait(of attempt: Attempt, now: UInt64) -> Duration? {
        if acquaintances.contains(attempt) { return acquainted.wait(of: attempt, now: now) }
        let ofAccount = attempt.account.flatMap { accounts.wait(of: $0, now: now) }
        let ofAddress = addresses.wait(of: attempt.address, now: now)
        guard let ofAccount, let ofAddress else { return ofAccount ?? ofAddress }
        return max(ofAccount, ofAddress)
    }

    /// The password was wrong, or there is no such account.
    mutating func failed(_ attempt: Attempt, now: UInt64) {
        if acquaintances.contains(attempt) { return acquainted.add(attempt, now: now) }
        if let account = attempt.account { accounts.add(account, now: now) }
        addresses.add(attempt.address, now: now)
    }

    /// The password was right.
    mutating func succeeded(_ attempt: Attempt) {
        acquaintances.insert(attempt)
        acquainted.forget(attempt)
    }
}

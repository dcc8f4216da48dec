/// The failures and logins in flight that decide how long an attempt to log in must wait.
///
/// Waits grow up to a minute, by account and by address. Two rules keep an attacker who fails on purpose from locking
/// the owner out. A known pair, an address from which the owner has logged in before, has its own count. And an address
/// that has not failed at the account yet gets one attempt, whatever other addresses did. A guess thus costs an
/// attacker a new address.
struct LoginHistory: Sendable, Equatable {
    /// Failures at the account from all addresses, of the address at all accounts, and of the address at this account.
    var account, address, pair: FailureRecord?
    /// Failures of the pair since it is known. They are counted apart, so that strangers cannot fill their table.
    var known: FailureRecord?
    /// Whether the account's owner has logged in from the address before.
    var isKnownPair = false
    /// Attempts that this instance has begun and not ended.
    var inFlight = InFlight()

    struct InFlight: Sendable, Equatable {
        var account = 0
        var address = 0
        var pair = 0
    }

    static let freeAccountFailures = 5
    static let freeAddressFailures = 20
    /// The wait for an attempt that arrives while the last free ones are in flight.
    private static let shortWait = Duration.seconds(1)

    /// How long the attempt must wait; nil if it may begin now.
    var wait: Duration? {
        if isKnownPair { return Self.wait(known, free: Self.freeAccountFailures, inFlight: inFlight.pair) }
        let isFirst = pair == nil && inFlight.pair == 0
        let ofAccount = isFirst ? nil : Self.wait(account, free: Self.freeAccountFailures, inFlight: inFlight.account)
        // Many users may share an address and log in at once; logins are serialised only after too many failures.
        let ofAddress =
            (address?.failures ?? 0) < Self.freeAddressFailures
            ? nil : Self.wait(address, free: Self.freeAddressFailures, inFlight: inFlight.address)
        guard let ofAccount, let ofAddress else { return ofAccount ?? ofAddress }
        return max(ofAccount, ofAddress)
    }

    /// Attempts in flight count as failures until they end, so that a hundred guesses cannot begin at once. After the
    /// free failures attempts run one at a time.
    private static func wait(_ record: FailureRecord?, free: Int, inFlight: Int) -> Duration? {
        if inFlight > 0, (record?.failures ?? 0) + inFlight >= free { return record?.wait(free: free) ?? shortWait }
        return record?.wait(free: free)
    }

    /// Merges this instance's history with the shared one, which is nil while Redis does not answer.
    func merged(with shared: LoginHistory?) -> LoginHistory {
        guard let shared else { return self }
        var merged = self
        merged.account = FailureRecord.merged(account, shared.account)
        merged.address = FailureRecord.merged(address, shared.address)
        merged.pair = FailureRecord.merged(pair, shared.pair)
        merged.known = FailureRecord.merged(known, shared.pair)
        merged.isKnownPair = isKnownPair || shared.isKnownPair
        return merged
    }
}

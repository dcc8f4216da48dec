/// What is known about an attempt before it begins, and whether it may.
///
/// Waits grow up to a minute, by account and by address. Two things keep strangers who fail on purpose from locking an owner
/// out, however long they go on: who has come in from an address before has a count of their own there, and who has not yet
/// failed from an address has one try from it, whatever others did to the account. A guesser thus pays an address a guess.
struct LoginStanding: Sendable, Equatable {
    /// Failures of everybody at the account, of the address at all accounts, and of the address at this account.
    var account, address, pair: FailureRecord?
    /// Whether the account's owner has come in from the address before.
    var isAcquainted = false
    /// Attempts that have begun in this instance and have not ended.
    var underWay = UnderWay()

    struct UnderWay: Sendable, Equatable {
        var account = 0
        var address = 0
        var pair = 0
    }

    static let freeOfAccount = 5
    static let freeOfAddress = 20
    /// For those who come while others are at it.
    private static let shortWait = Duration.seconds(1)

    /// How long the attempt has to wait; nil when it may begin.
    var wait: Duration? {
        if isAcquainted { return Self.wait(pair, free: Self.freeOfAccount, underWay: underWay.pair) }
        let isFirst = pair == nil && underWay.pair == 0
        let ofAccount = isFirst ? nil : Self.wait(account, free: Self.freeOfAccount, underWay: underWay.account)
        // Many people may share an address and come in at once; only where it has failed too often do they go one by one.
        let ofAddress =
            (address?.failures ?? 0) < Self.freeOfAddress
            ? nil : Self.wait(address, free: Self.freeOfAddress, underWay: underWay.address)
        guard let ofAccount, let ofAddress else { return ofAccount ?? ofAddress }
        return max(ofAccount, ofAddress)
    }

    /// Attempts under way count as failures until they are known not to be, lest a hundred guesses begin at once; where the
    /// free ones are used up they go one by one.
    private static func wait(_ record: FailureRecord?, free: Int, underWay: Int) -> Duration? {
        if underWay > 0, (record?.failures ?? 0) + underWay >= free { return record?.wait(free: free) ?? shortWait }
        return record?.wait(free: free)
    }

    /// What this instance knows together with what all have told each other; nil where they could not.
    func joined(with shared: LoginStanding?) -> LoginStanding {
        guard let shared else { return self }
        var joined = self
        joined.account = FailureRecord.joined(account, shared.account)
        joined.address = FailureRecord.joined(address, shared.address)
        joined.pair = FailureRecord.joined(pair, shared.pair)
        joined.isAcquainted = isAcquainted || shared.isAcquainted
        return joined
    }
}

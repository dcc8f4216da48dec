import Wire

/// Coins held for a purchase, under a key that the calling service chose.
struct Reserve: Sendable, Equatable {
    /// The state of the coins.
    enum State: String, Sendable {
        /// Held.
        case reserved
        /// Spent; final.
        case captured
        /// Returned by the service that held them; final.
        case released
        /// Returned because no capture came in time. A late capture still takes them if the wallet has enough.
        case expired
    }

    let request: SpendRequest
    var state: State
    /// The wallet's balance in the reply to the first call, which every repetition gets again.
    let balance: Int
    /// The time from which the reserve may expire.
    let expiresAt: Timestamp
    /// When a capture last found too few coins; nil once it succeeded.
    var uncollectedAt: Timestamp?
}

/// Another service's request to spend a user's coins.
struct SpendRequest: Sendable, Equatable {
    /// Identifies the spend, so that a repeated request is the same spend.
    let key: String
    let user: UserID
    /// Coins, more than zero.
    let amount: Int
    /// A note for readers of the ledger.
    let reason: String

    /// The longest key or reason, in Unicode scalars.
    static let textLimit = 200
    /// The largest single spend.
    static let amountLimit = 1_000_000_000

    /// Whether both are the same spend. The reason does not count.
    func isSame(as other: SpendRequest) -> Bool {
        key == other.key && user == other.user && amount == other.amount
    }
}

import Wire

/// Coins held for a purchase under way, under a key that the buyer's service chose.
struct Reserve: Sendable, Equatable {
    /// What has become of the coins.
    enum State: String, Sendable {
        /// Held.
        case reserved
        /// Spent; final.
        case captured
        /// Given back by the service that held them; final.
        case released
        /// Given back because nobody captured them in time; a late capture still takes them, if they are there.
        case expired
    }

    let request: SpendRequest
    var state: State
    /// The wallet's balance that the first call was told, and that each repetition is told again.
    let balance: Int
    /// From then on the coins go back by themselves.
    let expiresAt: Timestamp
    /// When a capture last found too few coins; nil once they were taken.
    var uncollectedAt: Timestamp?
}

/// What another service wants to spend for a user.
struct SpendRequest: Sendable, Equatable {
    /// Names the spend: the same key is the same spend, however often it is asked for.
    let key: String
    let user: UserID
    /// Coins, more than zero.
    let amount: Int
    /// What it is for, for people who read the ledger.
    let reason: String

    /// Keys and reasons are at most so long, in Unicode scalars.
    static let textLimit = 200
    /// No single spend is larger.
    static let amountLimit = 1_000_000_000

    /// Whether both are the same spend; the reason is only a remark.
    func isSame(as other: SpendRequest) -> Bool {
        key == other.key && user == other.user && amount == other.amount
    }
}

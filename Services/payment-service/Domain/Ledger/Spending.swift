import Wire

/// One spend, from reserve to capture or release: what each call does, given what is recorded.
///
/// Made under the lock of the user from what the database holds. Each call returns the posting to write, nil
/// where it has been written before, or why it is refused; either way `reserve` is what is to be recorded then.
struct Spending: Sendable {
    /// Why a call is refused; no coins move then.
    enum Refusal: Error, Equatable {
        /// Fewer coins in the wallet than asked for.
        case notEnoughCoins
        /// Another user or amount stands under the key.
        case otherSpend
        /// The spend has ended in another way.
        case alreadyEnded
        /// Nothing stands under the key.
        case unknown
    }

    typealias Step = Result<Posting?, Refusal>

    /// What is recorded under the key; nil before the first call.
    private(set) var reserve: Reserve?
    /// Coins that the user can spend.
    private(set) var wallet: Int

    init(reserve: Reserve?, wallet: Int) {
        self.reserve = reserve
        self.wallet = wallet
    }

    /// Holds the coins until `expiry`.
    mutating func hold(_ request: SpendRequest, until expiry: Timestamp) -> Step {
        if let reserve {
            guard reserve.request.isSame(as: request) else { return .failure(.otherSpend) }
            let isHeldOrSpent = reserve.state != .released && reserve.uncollectedAt == nil
            return isHeldOrSpent ? .success(nil) : .failure(.alreadyEnded)
        }
        guard wallet >= request.amount else { return .failure(.notEnoughCoins) }
        wallet -= request.amount
        reserve = Reserve(request: request, state: .reserved, balance: wallet, expiresAt: expiry)
        return move(.reserve, from: .wallet, to: .reserved)
    }

    /// Spends the coins: those held, or those in the wallet where none are held any more or ever were.
    ///
    /// Where they are short, that is recorded: what they were to buy has been delivered.
    mutating func capture(_ request: SpendRequest, at now: Timestamp) -> Step {
        let known = reserve ?? Reserve(request: request, state: .expired, balance: wallet, expiresAt: now)
        guard known.request.isSame(as: request) else { return .failure(.otherSpend) }
        switch known.state {
        case .captured: return .success(nil)
        case .released: return .failure(.alreadyEnded)
        case .reserved: break
        case .expired where wallet < request.amount:
            reserve = known
            reserve?.uncollectedAt = now
            return .failure(.notEnoughCoins)
        case .expired: wallet -= request.amount
        }
        reserve = known
        reserve?.state = .captured
        reserve?.uncollectedAt = nil
        return known.state == .reserved
            ? move(.capture, from: .reserved, to: .revenue) : move(.spend, from: .wallet, to: .revenue)
    }

    /// Gives the held coins back.
    mutating func release() -> Step {
        guard let state = reserve?.state else { return .failure(.unknown) }
        guard state != .captured else { return .failure(.alreadyEnded) }
        reserve?.state = .released
        return state == .reserved ? giveBack(.release) : .success(nil)
    }

    /// Gives the coins back if they are still held when their time is up.
    mutating func expire(at now: Timestamp) -> Step {
        guard let reserve, reserve.state == .reserved, reserve.expiresAt <= now else { return .success(nil) }
        self.reserve?.state = .expired
        return giveBack(.expiry)
    }

    private mutating func giveBack(_ kind: Posting.Kind) -> Step {
        wallet += reserve?.request.amount ?? 0
        return move(kind, from: .reserved, to: .wallet)
    }

    private func move(_ kind: Posting.Kind, from source: Book, to target: Book) -> Step {
        .success(
            reserve.map {
                Posting(kind, of: $0.request.key, moving: $0.request.amount, from: source, to: target)
            })
    }
}

import Wire

/// The state machine of one spend, from the reserve to its capture or release.
///
/// It is made from the stored reserve under the user's lock. Each call returns the posting to write, nil if the call
/// was made before, or the refusal. In all cases `reserve` is the state to store.
struct Spending: Sendable {
    /// Why a call is refused. No coins move.
    enum Refusal: Error, Equatable {
        /// The wallet has fewer coins than requested.
        case notEnoughCoins
        /// The key belongs to a spend with another user or amount.
        case otherSpend
        /// The spend has already ended otherwise.
        case alreadyEnded
        /// There is no spend with the key.
        case unknown
    }

    typealias Step = Result<Posting?, Refusal>

    /// The stored reserve; nil before the first call.
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

    /// Spends the held coins, or coins of the wallet if none are held.
    ///
    /// Too few coins are recorded on the reserve, because the purchase has already been delivered.
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

    /// Returns the held coins to the wallet.
    mutating func release() -> Step {
        guard let state = reserve?.state else { return .failure(.unknown) }
        guard state != .captured else { return .failure(.alreadyEnded) }
        reserve?.state = .released
        return state == .reserved ? returnCoins(.release) : .success(nil)
    }

    /// Returns coins that are still held after their time.
    mutating func expire(at now: Timestamp) -> Step {
        guard let reserve, reserve.state == .reserved, reserve.expiresAt <= now else { return .success(nil) }
        self.reserve?.state = .expired
        return returnCoins(.expiry)
    }

    private mutating func returnCoins(_ kind: Posting.Kind) -> Step {
        wallet += reserve?.request.amount ?? 0
        return move(kind, from: .reserved, to: .wallet)
    }

    private func move(_ kind: Posting.Kind, from source: LedgerAccountKind, to target: LedgerAccountKind) -> Step {
        .success(
            reserve.map {
                Posting(kind, of: $0.request.key, moving: $0.request.amount, from: source, to: target)
            })
    }
}

import Postgres
import ServiceKit
import Wire

/// The coins of all users. Every change of a balance goes through it.
///
/// Each call is one database transaction that locks the user's account, reads it, lets ``Spending`` decide and writes.
/// Calls for one user run one after the other, calls for different users concurrently.
struct Ledger: Sendable {
    let accounts: LedgerStore
    let reserves: ReserveStore
    let outbox: Outbox
    let queue: UserQueue
    /// Coins that a new account receives.
    let welcomeGrant: Int
    /// How long a reserve holds coins before it expires.
    let reserveLifetime: Duration

    // MARK: For other services

    /// Returns how many coins a user can spend. The first use of an account opens it.
    func balance(of user: UserID) async throws -> Int {
        if let balance = try await accounts.wallet(of: user) { return balance }
        return try await queue.run(user) {
            try await outbox.transaction { transaction in try await lockedWallet(of: user, in: transaction).balance }
        }
    }

    /// Returns the balances of many users.
    func balances(of users: [UserID]) async throws -> [UserID: Int] {
        var balances = try await accounts.wallets(of: users)
        for user in users where balances[user] == nil { balances[user] = try await balance(of: user) }
        return balances
    }

    /// Holds coins for a purchase. A repeated request returns the same reserve.
    ///
    /// - Throws: ``Spending/Refusal``
    func hold(_ request: SpendRequest) async throws -> Reserve {
        let expiry = Timestamp.now + reserveLifetime
        let spending = try await spend(request.key, of: request.user) { $0.hold(request, until: expiry) }
        guard let reserve = spending.reserve else { throw Spending.Refusal.unknown }
        return reserve
    }

    /// Spends held coins, or takes them from the wallet if the reserve has expired or never existed.
    ///
    /// - Throws: ``Spending/Refusal``
    func capture(_ request: SpendRequest) async throws {
        try await spend(request.key, of: request.user) { $0.capture(request, at: .now) }
    }

    /// Returns held coins to the wallet.
    ///
    /// - Throws: ``Spending/Refusal``
    func release(_ key: String) async throws {
        guard let user = try await reserves.owner(of: key) else {
            throw Spending.Refusal.unknown
        }
        try await spend(key, of: user) { $0.release() }
    }

    /// Expires all reserves that are due, and reads `page` of them at once.
    ///
    /// - Throws: the first failure, after the others have expired. After `page` failures it stops.
    func expireDue(page: Int) async throws {
        var failed: [String] = []
        var failure: (any Error)?
        while true {
            let overdue = try await reserves.overdue(at: .now, except: failed, limit: page)
            for reserve in overdue {
                do {
                    try await spend(reserve.key, of: reserve.user) { $0.expire(at: .now) }
                } catch {
                    // The coins of the others do not wait for one that cannot expire.
                    failed.append(reserve.key)
                    failure = failure ?? error
                }
            }
            if overdue.count < page || failed.count >= page { break }
        }
        if let failure { throw failure }
    }

    // MARK: The transaction of every spend

    @discardableResult
    private func spend(
        _ key: String, of user: UserID, _ decide: (inout Spending) -> Spending.Step
    ) async throws -> Spending {
        let (spending, step) = try await queue.run(user) {
            try await outbox.transaction { transaction in
                let locked = try await lockedWallet(of: user, key: key, in: transaction)
                var spending = Spending(reserve: locked.reserve, wallet: locked.balance)
                let step = decide(&spending)
                var batch = PostgresBatch()
                if let reserve = spending.reserve, reserve != locked.reserve {
                    try reserves.add(reserve, to: &batch)
                }
                if case .success(let posting?) = step { try add(posting, of: user, after: locked, to: &batch) }
                try await transaction.commit(after: batch)
                return (spending, step)
            }
        }
        _ = try step.get()
        return spending
    }

    /// Adds a posting and the fact about its new balance to a batch of the transaction that read `locked`.
    func add(
        _ posting: Posting, of user: UserID, after locked: LockedWallet, to batch: inout PostgresBatch
    ) throws {
        try accounts.add(posting, of: user, to: &batch)
        guard posting.walletChange != 0 else { return }
        try BalanceFactPublisher(outbox: outbox).add(
            user, balance: locked.balance + posting.walletChange, version: locked.version + 1, to: &batch)
    }

    /// Locks the account of `user` and reads its wallet. A new account is opened with the welcome grant.
    func lockedWallet(
        of user: UserID, key: String = "", in transaction: PostgresTransaction
    ) async throws -> LockedWallet {
        if let locked = try await accounts.lockedWallet(of: user, key: key, in: transaction) { return locked }
        let isNew = try await accounts.open(user, in: transaction)
        guard let locked = try await accounts.lockedWallet(of: user, key: key, in: transaction) else {
            preconditionFailure("an account was missing after it was opened")
        }
        guard isNew, welcomeGrant > 0 else { return locked }
        let grant = Posting(.grant, of: user.description, moving: welcomeGrant, from: .grants, to: .wallet)
        var batch = PostgresBatch()
        try add(grant, of: user, after: locked, to: &batch)
        try await transaction.run(batch)
        return LockedWallet(balance: welcomeGrant, version: 1, reserve: locked.reserve)
    }
}

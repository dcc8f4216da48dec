import Postgres
import ServiceKit
import Wire

/// The coins of all users: everything that moves any goes through here.
///
/// Each call is one database transaction that locks the user, reads, lets ``Spending`` decide and writes;
/// so the calls of one user follow each other, and those of distinct users run side by side.
struct Ledger: Sendable {
    let database: PostgresPool
    let outbox: Outbox
    let lanes: UserLanes
    /// Coins that an account holds when it is opened.
    let welcomeGrant: Int
    /// So long coins are held before they go back by themselves.
    let reserveLifetime: Duration

    private let accounts = LedgerStore()
    private let reserves = ReserveStore()

    init(
        database: PostgresPool, outbox: Outbox, lanes: UserLanes, welcomeGrant: Int, reserveLifetime: Duration
    ) {
        self.database = database
        self.outbox = outbox
        self.lanes = lanes
        self.welcomeGrant = welcomeGrant
        self.reserveLifetime = reserveLifetime
    }

    // MARK: For other services

    /// How many coins a user can spend. The account is opened when it is touched for the first time.
    func balance(of user: UserID) async throws -> Int {
        if let balance = try await accounts.wallet(of: user, in: database) { return balance }
        return try await lanes.run(user) {
            try await outbox.transaction { transaction in try await holdings(of: user, in: transaction).wallet }
        }
    }

    /// The same for many users at once.
    func balances(of users: [UserID]) async throws -> [UserID: Int] {
        var balances = try await accounts.wallets(of: users, in: database)
        for user in users where balances[user] == nil { balances[user] = try await balance(of: user) }
        return balances
    }

    /// Holds coins for a purchase; the same request again finds them held.
    ///
    /// - Throws: ``Spending/Refusal``
    func hold(_ request: SpendRequest) async throws -> Reserve {
        let expiry = Timestamp.now + reserveLifetime
        let spending = try await spend(request.key, of: request.user) { $0.hold(request, until: expiry) }
        guard let reserve = spending.reserve else { throw Spending.Refusal.unknown }
        return reserve
    }

    /// Spends held coins, or takes them from the wallet where they are not held any more.
    ///
    /// - Throws: ``Spending/Refusal``
    func capture(_ request: SpendRequest) async throws {
        try await spend(request.key, of: request.user) { $0.capture(request, at: .now) }
    }

    /// Gives held coins back.
    ///
    /// - Throws: ``Spending/Refusal``
    func release(_ key: String) async throws {
        guard let user = try await reserves.owner(of: key, in: database) else {
            throw Spending.Refusal.unknown
        }
        try await spend(key, of: user) { $0.release() }
    }

    /// Gives back up to `limit` reserves whose time is up.
    ///
    /// - Returns: how many there were.
    func expire(atMost limit: Int) async throws -> Int {
        let overdue = try await reserves.overdue(at: .now, limit: limit, in: database)
        for place in overdue {
            try await spend(place.key, of: place.user) { $0.expire(at: .now) }
        }
        return overdue.count
    }

    // MARK: The way of every spend

    @discardableResult
    private func spend(
        _ key: String, of user: UserID, _ decide: (inout Spending) -> Spending.Step
    ) async throws -> Spending {
        let (spending, step) = try await lanes.run(user) {
            try await outbox.transaction { transaction in
                let holdings = try await holdings(of: user, key: key, in: transaction)
                var spending = Spending(reserve: holdings.reserve, wallet: holdings.wallet)
                let step = decide(&spending)
                var batch = PostgresBatch()
                if let reserve = spending.reserve, reserve != holdings.reserve {
                    try reserves.add(reserve, to: &batch)
                }
                if case .success(let posting?) = step { try add(posting, of: user, after: holdings, to: &batch) }
                try await transaction.commit(after: batch)
                return (spending, step)
            }
        }
        _ = try step.get()
        return spending
    }

    /// Adds a posting, and the fact of the balance that it makes, to a batch of the transaction that read `holdings`.
    func add(
        _ posting: Posting, of user: UserID, after holdings: Holdings, to batch: inout PostgresBatch
    ) throws(PostgresError) {
        try accounts.add(posting, of: user, to: &batch)
        guard posting.walletChange != 0 else { return }
        try BalanceFactPublisher(outbox: outbox).add(
            user, balance: holdings.wallet + posting.walletChange, version: holdings.version + 1, to: &batch)
    }

    /// Locks the account of `user`, which is opened with the welcome grant when it is touched for the first time.
    func holdings(
        of user: UserID, key: String = "", in transaction: PostgresTransaction
    ) async throws(PostgresError) -> Holdings {
        if let holdings = try await accounts.holdings(of: user, key: key, in: transaction) { return holdings }
        let isNew = try await accounts.open(user, in: transaction)
        guard let holdings = try await accounts.holdings(of: user, key: key, in: transaction) else {
            preconditionFailure("an account vanished")
        }
        guard isNew, welcomeGrant > 0 else { return holdings }
        let grant = Posting(.grant, of: user.description, moving: welcomeGrant, from: .grants, to: .wallet)
        var batch = PostgresBatch()
        try add(grant, of: user, after: holdings, to: &batch)
        try await transaction.run(batch)
        return Holdings(wallet: welcomeGrant, version: 1, reserve: holdings.reserve)
    }
}

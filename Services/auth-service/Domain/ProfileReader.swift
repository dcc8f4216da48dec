import EventLoop
import ServiceKit
import Wire

/// Reads users' own profiles with their coins, the most frequent read. Concurrent reads share one query.
struct ProfileReader: Sendable {
    private let reads: GatheredReads<UserID, (account: Account, coins: Int64)>

    init(accounts: AccountStore, coins: Coins, on loops: EventLoopGroup) {
        reads = GatheredReads(on: loops) { users in
            async let pending = coins.balances(of: users)
            let found = try await accounts.find(users)
            let balances = await pending
            return Dictionary(uniqueKeysWithValues: found.map { ($0.id, ($0, Int64(balances[$0.id] ?? 0))) })
        }
    }

    /// Returns the account and its coins, or nil if the account does not exist.
    func profile(of user: UserID) async throws -> (account: Account, coins: Int64)? {
        try await reads.value(of: user)
    }
}

import EventLoop
import ServiceKit
import Wire

/// What people read most: their own profile with their coins. Those who read at once share a question.
struct OwnProfiles: Sendable {
    private let reads: GatheredReads<UserID, (account: Account, coins: Int64)>

    init(accounts: AccountStore, coins: Coins, on loops: EventLoopGroup) {
        reads = GatheredReads(on: loops) { users in
            async let asked = coins.balances(of: users)
            let found = try await accounts.find(users)
            let balances = await asked
            return Dictionary(uniqueKeysWithValues: found.map { ($0.id, ($0, Int64(balances[$0.id] ?? 0))) })
        }
    }

    /// The account and its coins; nil where the account is gone.
    func profile(of user: UserID) async throws -> (account: Account, coins: Int64)? {
        try await reads.value(of: user)
    }
}

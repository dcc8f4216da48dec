public import Wire

/// The internal API of payment-service: the coins of users.
///
/// Spending has two steps. `reserve` holds the coins; then the fact `coins.capture` spends them or `release` returns
/// them. Each step may be repeated under the same key. payment-service returns coins by itself if they are neither
/// captured nor released in time.
public struct PaymentClient: Sendable {
    private let client: InternalClient

    public init(_ client: InternalClient) { self.client = client }

    /// The coins that each of these users can spend; 1,000 users at most.
    public func balances(of users: [UserID]) async throws -> [UserID: Int] {
        let reply = try await client.send(BalancesRequest(users: users))
        return Dictionary(reply.balances.map { ($0.user, $0.balance) }) { _, last in last }
    }

    /// Holds coins for a purchase.
    ///
    /// - Parameters:
    ///   - key: names the purchase, 1 to 200 characters, unique among all services. Begin it with the purpose.
    ///   - reason: for readers of the ledger, 200 characters at most.
    /// - Returns: the coins that the user can spend afterwards.
    /// - Throws: `Failure` with `notEnoughCoins` if the user has too few coins; nothing is held then.
    @discardableResult
    public func reserve(_ key: String, user: UserID, amount: Int, reason: String) async throws -> Int {
        let order = SpendOrder(key: key, user: user, amount: amount, reason: reason)
        return try await client.send(ReserveRequest(order: order)).balance
    }

    /// Returns held coins; a key under which nothing is held is not an error.
    public func release(_ key: String) async throws {
        do {
            _ = try await client.send(ReleaseRequest(key: key))
        } catch let failure as Failure where failure.code == .notFound {
            return
        }
    }
}

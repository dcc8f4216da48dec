public import Wire

/// The internal API of payment-service: the coins of users.
///
/// Spending goes in steps that are each safe to repeat under the same key: `reserve` holds the coins, then either the fact
/// `coins.capture` spends them or `release` gives them back. What is neither captured nor released goes back by itself after a
/// while.
public struct PaymentClient: Sendable {
    private let client: InternalClient

    public init(_ client: InternalClient) { self.client = client }

    /// How many coins each of these users can spend; 1,000 users at most.
    public func balances(of users: [UserID]) async throws -> [UserID: Int] {
        let json = try await client.ask("/internal/balances") { $0.field("ids", users.map(\.description)) }
        guard let elements = json["balances"]?.elements else { throw Failure.unavailable }
        var balances: [UserID: Int] = [:]
        for element in elements {
            guard let user = element["user_id"]?.string.flatMap(UserID.init) else { continue }
            balances[user] = element["balance"]?.int
        }
        return balances
    }

    /// Holds coins for a purchase.
    ///
    /// - Parameters:
    ///   - key: names the purchase, 1 to 200 characters, unique among all services: begin it with what it is for.
    ///   - reason: for people who read the ledger, 200 characters at most.
    /// - Returns: what the user can spend then.
    /// - Throws: `Failure` with `notEnoughCoins` where the coins are short; nothing is held then.
    @discardableResult
    public func reserve(_ key: String, user: UserID, amount: Int, reason: String) async throws -> Int {
        let json = try await client.tell("/internal/reserves") { json in
            json.field("key", key)
            json.field("user_id", user.description)
            json.field("amount", amount)
            json.field("reason", reason)
        }
        guard let balance = json["balance"]?.int else { throw Failure.unavailable }
        return balance
    }

    /// Gives held coins back; where nothing is held under the key, it is done already.
    public func release(_ key: String) async throws {
        do {
            _ = try await client.tell("/internal/reserves/\(PercentEncoding.strict.encode(key))/release")
        } catch let failure as Failure where failure.code == .notFound {
            return
        }
    }
}

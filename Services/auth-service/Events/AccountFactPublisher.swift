import Contract
import Postgres
import Redis
import ServiceKit

/// Publishes changes of profiles.
struct AccountFactPublisher: Sendable {
    let outbox: Outbox
    let redis: Redis

    /// Appends the fact that a profile has changed to the transaction that changes it.
    func changed(_ account: Account, in transaction: PostgresTransaction) async throws {
        try await outbox.append(AccountFact.userChanged(Self.version(of: account)), in: transaction)
    }

    /// Tells caches of profiles to fetch the profile again.
    func hint(_ account: Account) { redis.publish(Self.version(of: account)) }

    private static func version(of account: Account) -> ProfileVersion {
        ProfileVersion(user: account.id, version: account.version)
    }
}

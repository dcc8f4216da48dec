import Contract
import Postgres
import ServiceKit

/// Publishes changes of profiles.
struct AccountFactPublisher: Sendable {
    let outbox: Outbox
    let hints: RepeatedHints

    /// Appends the fact that a profile has changed to the transaction that changes it.
    func changed(_ account: Account, in transaction: PostgresTransaction) async throws {
        try await outbox.append(AccountFact.userChanged(Self.version(of: account)), in: transaction)
    }

    /// Orders all services to erase a user's data, and wakes the relay.
    func deleted(_ deletion: UserDeletion) async throws {
        try await outbox.transaction { tx in try await outbox.append(AccountFact.userDeleted(deletion), in: tx) }
    }

    /// Appends a sign-in, for the audit logs of the user's workspaces, to the transaction that opens the session.
    func signedIn(_ act: AccountAct, in transaction: PostgresTransaction) async throws {
        try await outbox.append(AccountFact.signedIn(act), in: transaction)
    }

    /// Appends the fact that a second factor was turned on or off to the transaction that does it.
    func secondFactorChanged(_ change: SecondFactorChange, in transaction: PostgresTransaction) async throws {
        try await outbox.append(AccountFact.secondFactorChanged(change), in: transaction)
    }

    /// Appends the order of an export, for the audit logs of the user's workspaces, to the transaction that takes it.
    func exportRequested(_ act: AccountAct, in transaction: PostgresTransaction) async throws {
        try await outbox.append(AccountFact.exportRequested(act), in: transaction)
    }

    /// Tells caches of profiles to fetch the profile again.
    func hint(_ account: Account) { hints.publish(Self.version(of: account)) }

    private static func version(of account: Account) -> ProfileVersion {
        ProfileVersion(user: account.id, version: account.version)
    }
}

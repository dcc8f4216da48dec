import Contract
import Postgres
import Redis
import ServiceKit
import Wire

/// What this service tells the others of accounts.
struct AccountFacts: Sendable {
    let outbox: Outbox
    let redis: Redis

    /// The profile is another; told for good with the transaction.
    func changed(_ account: Account, in transaction: PostgresTransaction) async throws {
        try await outbox.append("user.changed", in: transaction) { json in Self.write(account, &json) }
    }

    /// The same as a hint, for caches.
    func hint(_ account: Account) {
        redis.hint(JSONWriter.bytes { json in json.object { Self.write(account, &$0) } }, to: HintChannel.profiles)
    }

    private static func write(_ account: Account, _ json: inout JSONWriter) {
        json.field("user_id", account.id.description)
        json.field("version", account.version)
    }
}

import Postgres
import ServiceKit
import Wire

/// Tells other services how many coins a user has.
struct BalanceFacts: Sendable {
    let outbox: Outbox

    /// Adds to a batch that the wallet of `user` holds `balance` coins since its entry of this version.
    func add(_ user: UserID, balance: Int, version: Int, to batch: inout PostgresBatch) throws(PostgresError) {
        try outbox.add("balance.changed", to: &batch) { json in
            json.field("user_id", user.description)
            json.field("balance", balance)
            json.field("version", version)
        }
    }
}

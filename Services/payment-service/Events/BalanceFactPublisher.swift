import Contract
import Postgres
import ServiceKit
import Wire

/// Publishes the balances of wallets.
struct BalanceFactPublisher: Sendable {
    let outbox: Outbox

    /// Adds the fact that the wallet of `user` holds `balance` coins to the batch that changes it.
    ///
    /// - Parameter version: the version of the wallet after the change.
    func add(_ user: UserID, balance: Int, version: Int, to batch: inout PostgresBatch) throws(PostgresError) {
        let wallet = WalletVersion(user: user, balance: balance, version: Int64(version))
        try outbox.add(PaymentFact.balanceChanged(wallet), to: &batch)
    }
}

import Postgres
import Wire

/// Erases the orders and claims of a deleted account.
///
/// The ledger and the payments stay, because their sums must remain true and the law asks for them. They name the user by
/// a number, and no table of any service leads from it to a person.
struct ErasureStore: Sendable {
    let database: PostgresPool

    private static let erase = Statement.write(
        "erase orders and attempts",
        """
        with orders as (delete from purchase_order where user_id = $1)
        delete from attempt where user_id = $1
        """)

    func erase(_ user: UserID) async throws { try await database.execute(Self.erase, user) }
}

import Postgres
import Wire

/// The table `purchase_order`.
struct OrderStore: Sendable {
    let database: PostgresPool

    private static let lock = Statement.write(
        "lock orders of user", "select pg_advisory_xact_lock(hashtextextended('orders ' || $1::bigint, 0))")
    private static let insert = Statement.write(
        "insert order",
        """
        insert into purchase_order (number, user_id, item)
        select $1, $2, $3
        where (
            select count(*) from purchase_order where user_id = $2 and made_at > (extract(epoch from now()) * 1000)::bigint - 86400000
        ) < $4
        """)
    private static let owner = Statement.read(
        "owner of order", "select user_id from purchase_order where number = $1")
    private static let delete = Statement.write(
        "delete old orders",
        """
        delete from purchase_order where number in (
            select number from purchase_order where made_at < $1 order by made_at limit 5000
        )
        """)

    /// Inserts an order. Concurrent calls of one user wait for each other, so that they do not exceed the limit.
    ///
    /// - Returns: false if the user has made `limit` orders within a day.
    func insert(_ order: PurchaseOrder, limit: Int) async throws -> Bool {
        try await database.transaction { transaction in
            try await transaction.query(Self.lock, order.user)
            let inserted = try await transaction.execute(
                Self.insert, order.number.text, order.user, order.item.name, limit)
            return inserted > 0
        }
    }

    /// Returns the user of an order; nil if there is no such order.
    func owner(of number: String) async throws(PostgresError) -> UserID? {
        try await database.query(Self.owner, number).first { row throws(PostgresError) in try row.next() }
    }

    /// Deletes orders made before `moment`, 5,000 at once.
    func delete(before moment: Timestamp) async throws(PostgresError) {
        while try await database.execute(Self.delete, moment) > 0 {}
    }
}

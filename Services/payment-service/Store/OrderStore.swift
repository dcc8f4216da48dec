import Postgres
import Wire

/// The table `purchase_order`.
struct OrderStore: Sendable {
    let database: PostgresPool

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

    /// Inserts an order.
    ///
    /// - Returns: false if the user has made `limit` orders within a day.
    func insert(_ order: PurchaseOrder, limit: Int) async throws(PostgresError) -> Bool {
        try await database.execute(Self.insert, order.number.text, order.user, order.item.name, limit) > 0
    }

    /// Returns the user of an order; nil if there is no such order.
    func owner(of number: String) async throws(PostgresError) -> UserID? {
        try await database.query(Self.owner, number).first { row throws(PostgresError) in try row.next() }
    }

    /// Deletes orders made before `moment`, at most 5,000.
    func delete(before moment: Timestamp) async throws(PostgresError) {
        try await database.execute(Self.delete, moment)
    }
}

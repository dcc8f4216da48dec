import Contract
import Postgres
import Wire

/// A page of a list that is ordered by a moment and then by an id: at most `limit` rows after the place, which itself is
/// not included.
struct Page: Sendable {
    /// Milliseconds since 1970.
    let moment: Int64
    let id: Int64
    let limit: Int

    /// - Parameter place: nil for the first page.
    init(after place: (moment: Int64, id: Int64)?, limit: Int) {
        (moment, id) = place ?? (.min, .min)
        self.limit = limit
    }

    /// The same for a list in the opposite order.
    init(before place: (moment: Int64, id: Int64)?, limit: Int) {
        (moment, id) = place ?? (.max, .max)
        self.limit = limit
    }
}

extension Membership {
    /// Reads the columns user_id, joined_at.
    init(row: inout Row) throws(PostgresError) {
        user = try row.next()
        joinedAt = try row.next()
    }
}

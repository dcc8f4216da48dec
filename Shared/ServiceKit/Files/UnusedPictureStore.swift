internal import Postgres

/// A service's table of pictures that nothing refers to. The service's triggers add a row when the last reference to a
/// picture goes, and delete it when a reference is made.
struct UnusedPictureStore: Sendable {
    private let database: PostgresPool
    private let insert, makeDue, due, delete: Statement

    /// The server's clock, which also the triggers use: milliseconds since 1970.
    private static let now = "(extract(epoch from clock_timestamp()) * 1000)::bigint"
    /// The start of the transaction. An index can be searched by it.
    private static let stableNow = "(extract(epoch from now()) * 1000)::bigint"

    /// Milliseconds.
    private let retention: Int64

    /// - Parameters:
    ///   - table: a table of the service with the columns `path text primary key, due_at bigint not null, is_replaced
    ///     boolean not null default false`.
    ///   - retention: how long a picture stays after its `due_at` if it was replaced.
    init(_ table: StaticString, in database: PostgresPool, retention: Duration) {
        self.database = database
        self.retention = retention.components.seconds * 1000 + retention.components.attoseconds / 1_000_000_000_000_000
        insert = Statement.write(
            "insert unused picture",
            unprepared: "insert into \(table) (path, due_at) values ($1, \(Self.now) + 3600000)")
        makeDue = Statement.write(
            "make unused picture due", unprepared: "update \(table) set due_at = \(Self.now) where path = $1")
        due = Statement.write(
            "due unused pictures",
            unprepared: """
                select path from \(table)
                where not is_replaced and due_at <= \(Self.stableNow)
                    or is_replaced and due_at <= \(Self.stableNow) - $2::bigint
                order by due_at limit $1 for update skip locked
                """)
        delete = Statement.write(
            "delete unused pictures", unprepared: "delete from \(table) where path = any($1::text[])")
    }

    /// Records a new picture; it is removed if nothing refers to it within an hour.
    func insert(_ path: String) async throws { try await database.execute(insert, path) }

    /// Makes a picture due now, unless something refers to it. Waits for a transaction that is about to make a reference.
    func makeDue(_ path: String) async throws { try await database.execute(makeDue, path) }

    /// Removes due pictures with `body` and then deletes their rows.
    ///
    /// - Returns: how many pictures were removed.
    func takeDue(atMost limit: Int, _ body: ([String]) async throws -> Void) async throws -> Int {
        try await database.transaction { tx in
            let paths = try await tx.query(due, limit, retention).map { row throws(PostgresError) in
                try row.next(as: String.self)
            }
            if paths.isEmpty { return 0 }
            try await body(paths)
            try await tx.execute(delete, paths)
            return paths.count
        }
    }
}

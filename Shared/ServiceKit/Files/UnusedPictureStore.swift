internal import Postgres

/// A service's table of pictures that nothing refers to; what begins or ceases to refer to one is followed by triggers.
struct UnusedPictureStore: Sendable {
    private let database: PostgresPool
    private let insert, makeDue, due, delete: Statement

    /// - Parameter table: one of the service's own, `path text primary key, due_at timestamptz not null`.
    init(_ table: StaticString, in database: PostgresPool) {
        self.database = database
        insert = Statement(
            "insert unused picture",
            unprepared: "insert into \(table) (path, due_at) values ($1, now() + interval '1 hour')")
        makeDue = Statement(
            "make unused picture due", unprepared: "update \(table) set due_at = now() where path = $1")
        due = Statement(
            "due unused pictures",
            unprepared: """
                select path from \(table) where due_at <= now() order by due_at limit $1 for update skip locked
                """)
        delete = Statement("delete unused pictures", unprepared: "delete from \(table) where path = any($1::text[])")
    }

    /// A picture that something has an hour to refer to.
    func insert(_ path: String) async throws { try await database.execute(insert, path) }

    /// Ends the hour at once, unless something refers to the picture; waits for whoever is about to.
    func makeDue(_ path: String) async throws { try await database.execute(makeDue, path) }

    /// Forgets pictures that are due once `body` has removed them; returns how many.
    func takeDue(atMost limit: Int, _ body: ([String]) async throws -> Void) async throws -> Int {
        try await database.transaction { tx in
            let paths = try await tx.query(due, limit).map { row throws(PostgresError) in
                try row.next(as: String.self)
            }
            if paths.isEmpty { return 0 }
            try await body(paths)
            try await tx.execute(delete, paths)
            return paths.count
        }
    }
}

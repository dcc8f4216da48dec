import Postgres

/// The table of pictures that nothing refers to; what begins or ceases to refer to one is followed by triggers.
struct UnusedCoverStore: Sendable {
    let database: PostgresPool

    private static let insert = Statement(
        "insert unused cover", "insert into unused_cover (path, due_at) values ($1, now() + interval '1 hour')")
    private static let makeDue = Statement(
        "make unused cover due", "update unused_cover set due_at = now() where path = $1")
    private static let due = Statement(
        "due unused covers",
        "select path from unused_cover where due_at <= now() order by due_at limit $1 for update skip locked")
    private static let delete = Statement(
        "delete unused covers", "delete from unused_cover where path = any($1::text[])")

    /// A picture that something has an hour to refer to.
    func insert(_ path: String) async throws { try await database.execute(Self.insert, path) }

    /// Ends the hour at once, unless something refers to the picture; waits for whoever is about to.
    func makeDue(_ path: String) async throws { try await database.execute(Self.makeDue, path) }

    /// Forgets pictures that are due once `body` has removed them; returns how many.
    func takeDue(atMost limit: Int, _ body: ([String]) async throws -> Void) async throws -> Int {
        try await database.transaction { tx in
            let paths = try await tx.query(Self.due, limit).map { row throws(PostgresError) in
                try row.next(as: String.self)
            }
            if paths.isEmpty { return 0 }
            try await body(paths)
            try await tx.execute(Self.delete, paths)
            return paths.count
        }
    }
}

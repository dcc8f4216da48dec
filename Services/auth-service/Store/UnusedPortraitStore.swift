import Postgres

/// The table of pictures that no account has; what accounts take and leave is followed by triggers.
struct UnusedPortraitStore: Sendable {
    let database: PostgresPool

    private static let insert = Statement(
        "insert unused portrait", "insert into unused_portrait (path, due_at) values ($1, now() + interval '1 hour')")
    private static let makeDue = Statement(
        "make unused portrait due", "update unused_portrait set due_at = now() where path = $1")
    private static let due = Statement(
        "due unused portraits",
        "select path from unused_portrait where due_at <= now() order by due_at limit $1 for update skip locked")
    private static let delete = Statement(
        "delete unused portraits", "delete from unused_portrait where path = any($1::text[])")

    /// A picture that an account has an hour to take.
    func insert(_ path: String) async throws { try await database.execute(Self.insert, path) }

    /// Ends the hour at once, unless an account has the picture; waits for a change that is about to take it.
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

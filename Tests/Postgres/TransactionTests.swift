import Postgres
import TestSupport
import Testing

@Suite struct TransactionTests {
    static let table = "create table notes (id int8 primary key)"
    static let insert = Statement("insert note", "insert into notes values ($1)")
    static let count = Statement("count notes", "select count(*) from notes")

    @Test("A transaction takes effect as a whole when its closure returns, and not at all when it throws")
    func allOrNothing() async throws {
        try await Database.use { pool, home in
            try await home.server.run(sql: Self.table)
            try await pool.transaction { tx in
                try await tx.execute(Self.insert, 1)
                try await tx.execute(Self.insert, 2)
            }
            await #expect(throws: PostgresError.self) {
                try await pool.transaction { tx in
                    try await tx.execute(Self.insert, 3)
                    try await tx.execute(Self.insert, 2)
                }
            }
            let count = try await pool.query(Self.count).value(as: Int.self)
            #expect(count == 2)
        }
    }

    @Test("A batch takes effect as a whole or its caller sees the failure")
    func batch() async throws {
        try await Database.use { pool, home in
            try await home.server.run(sql: Self.table)
            var batch = PostgresBatch()
            try batch.add(Self.insert, 1)
            try batch.add(Self.insert, 1)
            let error = try await failure { try await pool.run(batch) }
            #expect(error.isUniqueViolation(of: "notes_pkey"))
            let count = try await pool.query(Self.count).value(as: Int.self)
            #expect(count == 0)
        }
    }
}

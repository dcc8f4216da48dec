import Postgres
import TestSupport
import Testing

@Suite struct MigrationTests {
    static let first = Migration(
        number: 1, name: "tables", sql: Array("create table s.a (id int8); create table s.b (id int8)".utf8))

    @Test("A migration is applied once, and never in another form")
    func once() async throws {
        try await Database.use { pool, _ in
            let applied = [try await pool.migrate("s", [Self.first]), try await pool.migrate("s", [Self.first])]
            #expect(applied == [1, 0])
            let changed = Migration(number: 1, name: "tables", sql: Array("select 1".utf8))
            await #expect(throws: MigrationError.changed(1, name: "tables")) {
                try await pool.migrate("s", [changed])
            }
        }
    }
}

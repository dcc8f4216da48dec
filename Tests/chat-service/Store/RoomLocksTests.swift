import Postgres
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Locks of rooms")
struct RoomLocksTests {
    private static let held = Statement.read(
        "held advisory locks",
        """
        select (classid::bigint << 32) + objid::bigint from pg_locks
        where locktype = 'advisory' and objsubid = 1 and pid = pg_backend_pid() order by 1
        """)

    @Test("A channel and a DM of one number have different locks, with the numbers that release 0.2.0 takes")
    func numbers() async throws {
        try await ChatDatabase.use { database in
            let numbers: [Int64] = try await database.run { pool in
                try await pool.transaction { tx in
                    var batch = PostgresBatch()
                    try batch.lock([RoomID(DMID(7)), RoomID(ChannelID(7))])
                    _ = try await tx.run(batch)
                    return try await tx.query(Self.held).map { row throws(PostgresError) in
                        try row.next(as: Int64.self)
                    }
                }
            }
            #expect(numbers == [(1 << 56) + 7, (2 << 56) + 7])
        }
    }
}

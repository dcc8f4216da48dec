import EventLoop
import Postgres
import ServiceSupport
import Synchronization
import TestSupport
import Testing
import Wire

@testable import auth_service

@Suite("Leases of exports")
struct ExportLeaseTests {
    /// Runs `body` with the lease of an export, on a loop.
    private func withLease(
        _ body: @escaping @Sendable (ExportLease, TestDatabase, EventLoop) async throws -> Void
    ) async throws {
        let database = try await PostgresCluster.ofThisProcess().makeDatabase()
        try await Pools.use(database, schema: "auth") { pool in
            try await pool.migrate("auth", Migrations.all)
            _ = try await database.run(
                sql: """
                    insert into auth.account (email, email_key, nickname, created_at) values ('a', 'a', 'a', 0);
                    insert into auth.export (account, requested_at, due_at) select id, 0, 0 from auth.account
                    """)
            let store = ExportStore(database: pool)
            let order = try #require(try await store.take(at: .now, lease: ExportLease.length))
            let lease = ExportLease(order: order, store: store, renewal: .milliseconds(1))
            try await body(lease, database, try #require(EventLoop.current))
        }
    }

    @Test("D2: a lease is extended while the archive is stored, and no longer")
    func extended() async throws {
        try await withLease { lease, database, loop in
            let expire = "update auth.export set due_at = 0 returning 'expired'"
            let isHeld = "select due_at > 0 from auth.export"
            try await lease.kept(on: loop) {
                for _ in 1...3 {
                    _ = try await database.run(sql: expire)
                    try await eventually("another extension") { try await database.run(sql: isHeld) == "t\n" }
                }
            }
            _ = try await database.run(sql: expire)
            #expect(try await database.run(sql: isHeld) == "f\n")
            try await lease.keep()
            #expect(try await database.run(sql: isHeld) == "t\n")
        }
    }

    @Test("D2: a lost lease ends a build between two steps, and does not interrupt a file that is being stored")
    func lost() async throws {
        try await withLease { lease, database, loop in
            _ = try await database.run(sql: "update auth.export set attempts = attempts + 1, due_at = 7")
            let isStored = Mutex(false)
            try await lease.kept(on: loop) {
                try await loop.sleep(for: .milliseconds(20))
                isStored.withLock { $0 = true }
            }
            #expect(isStored.withLock { $0 })
            await #expect(throws: ExportJob.LostLease.self) { try await lease.keep() }
            #expect(try await database.run(sql: "select due_at from auth.export") == "7\n")
        }
    }

    @Test("D1: a file that is stored after the sweep forgot it is recorded again")
    func forgotten() async throws {
        try await withLease { lease, _, _ in
            let (store, order) = (lease.store, lease.order)
            for name in ["exports/lost.zip", "exports/late.zip"] {
                try await store.record(name, of: order.account, due: .now)
            }
            try await store.forget(["exports/lost.zip", "exports/late.zip"])
            try await store.makeDue("exports/lost.zip")
            #expect(try await store.dueFiles(at: .now, limit: 10) == ["exports/lost.zip"])
            let end = Timestamp.now + .seconds(60)
            let isDone = try await store.transaction { tx in
                try await store.finish(order, file: "exports/late.zip", size: 1, expiry: end, in: tx)
            }
            #expect(isDone)
            #expect(try await store.dueFiles(at: end, limit: 10).contains("exports/late.zip"))
        }
    }
}

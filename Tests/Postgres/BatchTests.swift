import EventLoop
import Postgres
import TestSupport
import Testing

@Suite struct BatchTests {
    @Test("A batch takes effect as a whole, or not at all and its error names the failed statement")
    func allOrNothing() async throws {
        try await Database.use { pool, home in
            try await home.server.run(sql: SQL.notes)
            var batch = PostgresBatch()
            try batch.add(SQL.insert, 1)
            try batch.add(SQL.count)
            let results = try await pool.run(batch)
            #expect(results.map(\.affected) == [1, 1])
            try batch.add(SQL.insert, 2)
            let error = try await failure { try await pool.run(batch) }
            #expect(error.isUniqueViolation(of: "notes_pkey"))
            #expect(error.statement == "insert note")
            let count = try await pool.query(SQL.count).value(as: Int.self)
            #expect(count == 1)
        }
    }

    @Test("A batch within BEGIN and COMMIT takes effect as a whole, or not at all, and its connection goes back")
    func begun() async throws {
        try await Database.use({
            $0.beginsBatches = true
            $0.connectionsPerLoop = 1
        }) { pool, home in
            try await home.server.run(sql: SQL.notes)
            // Only allowed within BEGIN and COMMIT.
            let savepoint = Statement.write("savepoint", "savepoint a")
            var batch = PostgresBatch()
            try batch.add(SQL.insert, 1)
            try batch.add(savepoint)
            try batch.add(SQL.insert, 2)
            #expect(try await pool.run(batch).map(\.affected) == [1, 0, 1])
            let error = try await failure { try await pool.run(batch) }
            #expect(error.isUniqueViolation(of: "notes_pkey") && error.statement == "insert note")
            let count = try await pool.query(SQL.count).value(as: Int.self)
            #expect(count == 2)
        }
    }

    @Test("A failure at the commit fails the batch")
    func failureAtCommit() async throws {
        try await Database.use({ $0.connectionsPerLoop = 1 }) { pool, home in
            try await home.server.run(
                sql: SQL.notes
                    + "; alter table notes add parent int8 references notes deferrable initially deferred")
            let insert = Statement.write("insert child", "insert into notes (id, parent) values ($1, $2)")
            var batch = PostgresBatch()
            try batch.add(insert, 1, 2)
            let orphan = try await failure { try await pool.run(batch) }
            #expect(orphan.isForeignKeyViolation())
            let single = try await failure { try await pool.query(insert, 1, 2) }
            #expect(single.isForeignKeyViolation())
            try batch.add(insert, 2, Int?.none)
            try await pool.run(batch)
            let count = try await pool.query(SQL.count).value(as: Int.self)
            #expect(count == 2)
        }
    }

    @Test("Concurrent batches that lock a row and then number their inserts leave no gap")
    func groupCommit() async throws {
        try await Database.use(loops: 2) { pool, home in
            try await home.server.run(
                sql: """
                    create table rooms (id int8 primary key, last int8 not null default 0);
                    create table messages (room int8, seq int8, primary key (room, seq));
                    insert into rooms values (1), (2), (3)
                    """)
            let lock = Statement.write("lock rooms", "select 1 from rooms where id = any($1) order by id for update")
            let insert = Statement.write(
                "insert messages",
                """
                with numbered as (
                    select room, last + row_number() over (partition by room) as seq
                    from unnest($1::int8[]) room join rooms on rooms.id = room
                ), inserted as (
                    insert into messages select room, seq from numbered returning room, seq
                )
                update rooms set last = news.seq
                from (select room, max(seq) seq from inserted group by room) news where rooms.id = news.room
                """)
            try await withThrowingTaskGroup { group in
                for writer in 0..<8 {
                    group.addTask(executorPreference: home.loops[any: writer]) {
                        for turn in 0..<25 {
                            let rooms = [1, 2, 3, 1 + turn % 3]
                            var batch = PostgresBatch()
                            try batch.add(lock, rooms)
                            try batch.add(insert, rooms)
                            try await pool.run(batch)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let check = Statement.read(
                "check", "select count(*) = max(seq) and count(*) > 200 from messages group by room")
            let isGapless = try await pool.query(check).map { try $0.next(as: Bool.self) }
            #expect(isGapless == [true, true, true])
        }
    }
}

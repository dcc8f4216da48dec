import EventLoop
import Postgres
import TestSupport
import Testing

@Suite struct TransactionTests {
    private struct Refused: Error {}

    @Test("A transaction takes effect as a whole if its closure returns, and not at all if it throws")
    func allOrNothing() async throws {
        try await Database.use { pool, home in
            try await home.server.run(sql: SQL.notes)
            let seen = try await pool.transaction { tx in
                try await tx.execute(SQL.insert, 1)
                try await tx.execute(SQL.insert, 2)
                return try await tx.query(SQL.count).value(as: Int.self)
            }
            await #expect(throws: Refused.self) {
                try await pool.transaction { tx in
                    try await tx.execute(SQL.insert, 3)
                    throw Refused()
                }
            }
            let count = try await pool.query(SQL.count).value(as: Int.self)
            #expect(seen == 2 && count == 2)
        }
    }

    @Test("An error that the closure swallows still fails the transaction")
    func swallowed() async throws {
        try await Database.use { pool, home in
            try await home.server.run(sql: SQL.notes)
            let error = try await failure {
                try await pool.transaction { tx in
                    try await tx.execute(SQL.insert, 1)
                    _ = try? await tx.execute(SQL.insert, 1)
                }
            }
            #expect(error.kind == .transactionEnded)
            let count = try await pool.query(SQL.count).value(as: Int.self)
            #expect(count == 0)
        }
    }

    @Test("A last batch with its commit is durable; nothing runs after it, and a later error does not undo it")
    func lastBatch() async throws {
        try await Database.use { pool, home in
            try await home.server.run(sql: SQL.notes)
            await #expect(throws: Refused.self) {
                try await pool.transaction { tx in
                    try await tx.execute(SQL.insert, 1)
                    var batch = PostgresBatch()
                    try batch.add(SQL.insert, 2)
                    try batch.add(SQL.count)
                    let lists = try await tx.commit(after: batch)
                    #expect(lists.count == 2)
                    #expect(try lists[1].value(as: Int.self) == 2)
                    let error = try await failure { try await tx.query(SQL.one) }
                    #expect(error.kind == .transactionEnded)
                    throw Refused()
                }
            }
            try await pool.transaction { tx in
                var batch = PostgresBatch()
                try batch.add(SQL.insert, 3)
                try await tx.commit(after: batch)
            }
            try await pool.transaction { tx in _ = try await tx.commit(after: PostgresBatch()) }
            let count = try await pool.query(SQL.count).value(as: Int.self)
            #expect(count == 3)
        }
    }

    @Test("A last batch that fails, also at its commit, has no effect, and its connection can be used again")
    func failingLastBatch() async throws {
        try await Database.use({ $0.connectionsPerLoop = 1 }) { pool, home in
            try await home.server.run(
                sql: SQL.notes + "; create table late (id int8 unique deferrable initially deferred)")
            let duplicate = Statement.write("late duplicate", "insert into late (id) values (1), (1)")
            for statement in [SQL.insert, duplicate] {
                let error = try await failure {
                    try await pool.transaction { tx in
                        try await tx.execute(SQL.insert, 1)
                        var batch = PostgresBatch()
                        if statement.name == duplicate.name {
                            try batch.add(duplicate)
                        } else {
                            try batch.add(SQL.insert, 1)
                        }
                        try await tx.commit(after: batch)
                    }
                }
                #expect(error.isUniqueViolation())
                let count = try await pool.query(SQL.count).value(as: Int.self)
                #expect(count == 0)
            }
            try await pool.transaction { tx in try await tx.execute(SQL.insert, 1) }
            let count = try await pool.query(SQL.count).value(as: Int.self)
            #expect(count == 1)
        }
    }

    @Test("A transaction runs nothing after its closure has returned")
    func kept() async throws {
        try await Database.use { pool, _ in
            let kept = try await pool.transaction { tx in
                try await tx.query(SQL.one)
                return tx
            }
            let error = try await failure { try await kept.query(SQL.one) }
            #expect(error.kind == .transactionEnded)
        }
    }

    @Test("Conflicting transactions are retried until all have succeeded")
    func retries() async throws {
        try await Database.use(loops: 2) { pool, home in
            try await home.server.run(sql: "create table counter (value int8); insert into counter values (0)")
            let read = Statement.read("read counter", "select value from counter")
            let write = Statement.write("write counter", "update counter set value = $1")
            try await withThrowingTaskGroup { group in
                for number in 0..<6 {
                    group.addTask(executorPreference: home.loops[any: number]) {
                        try await pool.transaction(.serializable, attempts: 100) { tx in
                            let value = try await tx.query(read).value(as: Int.self)
                            try await tx.execute(write, value + 1)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let value = try await pool.query(read).value(as: Int.self)
            #expect(value == 6)
        }
    }

    @Test("A read-only transaction sees one snapshot and cannot write")
    func readOnly() async throws {
        try await Database.use { pool, home in
            try await home.server.run(sql: SQL.notes)
            try await pool.transaction(.readOnly) { tx in
                let before = try await tx.query(SQL.count).value(as: Int.self)
                try await pool.execute(SQL.insert, 1)
                let after = try await tx.query(SQL.count).value(as: Int.self)
                #expect(before == 0 && after == 0)
            }
            let error = try await failure {
                try await pool.transaction(.readOnly) { tx in try await tx.execute(SQL.insert, 2) }
            }
            #expect(error.sqlState == "25006")
        }
    }

    @Test("Transactions that outnumber the connections wait and all succeed")
    func queueing() async throws {
        try await Database.use({ $0.connectionsPerLoop = 3 }) { pool, home in
            try await home.server.run(sql: SQL.notes)
            try await withThrowingTaskGroup { group in
                for number in 0..<100 {
                    group.addTask { try await pool.transaction { tx in try await tx.execute(SQL.insert, number) } }
                }
                try await group.waitForAll()
            }
            let count = try await pool.query(SQL.count).value(as: Int.self)
            let sessions = try await home.sessions()
            #expect(count == 100 && sessions <= 3)
        }
    }

    @Test("A transaction fails if it gets no connection in time or too many wait before it; single statements succeed")
    func exhaustion() async throws {
        try await Database.use({
            $0.connectionsPerLoop = 2
            $0.waitTimeout = .milliseconds(200)
            $0.waitLimit = 1
        }) { pool, home in
            // Both connections are open before the time is measured.
            try await eventually {
                let count = try? await pool.transaction { tx in
                    try await tx.query(SQL.one).count + pool.query(SQL.one).count
                }
                return count == 2
            }
            let (holds, hold) = AsyncStream<Void>.makeStream()
            let (begun, begin) = AsyncStream<Void>.makeStream()
            let holder = Task(executorPreference: home.loops.loops[0]) {
                defer { begin.finish() }
                try await pool.transaction { tx in
                    try await tx.query(SQL.one)
                    begin.finish()
                    for await _ in holds {}
                }
            }
            for await _ in begun {}
            async let late = failure { try await pool.transaction { tx in try await tx.query(SQL.one) } }
            async let later = failure { try await pool.transaction { tx in try await tx.query(SQL.one) } }
            let one = try await pool.query(SQL.one).value(as: Int.self)
            let kinds = [try await late.kind, try await later.kind]
            #expect(one == 1 && kinds == [.exhausted, .exhausted])
            hold.finish()
            try await holder.value
            try await pool.transaction { tx in _ = try await tx.query(SQL.one) }
        }
    }

    @Test("Cancelling a task rolls its transaction back and releases the connection")
    func cancellation() async throws {
        try await Database.use({ $0.connectionsPerLoop = 2 }) { pool, home in
            try await home.server.run(sql: SQL.notes)
            let task = Task(executorPreference: home.loops.loops[0]) {
                try await pool.transaction { tx in
                    try await tx.execute(SQL.insert, 1)
                    try await tx.query(SQL.sleep, 30.0)
                }
            }
            try await eventually { try await home.sessions(where: "wait_event = 'PgSleep'") == 1 }
            task.cancel()
            let error = try await failure { try await task.value }
            #expect(error.kind == .cancelled)
            try await eventually { try await home.sessions(where: "wait_event = 'PgSleep'") == 0 }
            let count = try await pool.transaction { tx in try await tx.query(SQL.count).value(as: Int.self) }
            #expect(count == 0)
        }
    }

    @Test("With a longer deadline, the statements of a transaction may run longer than the server's time-out")
    func patience() async throws {
        try await Database.use({ $0.statementTimeout = .milliseconds(500) }) { pool, _ in
            try await pool.within(.seconds(60).patiently).transaction { tx in _ = try await tx.query(SQL.sleep, 1.5) }
            let error = try await failure { try await pool.query(SQL.sleep, 1.5) }
            #expect(error.kind == .timeout)
        }
    }
}

import EventLoop
import Postgres
import TestSupport
import Testing

@Suite struct DeadlineTests {
    private static let isAsleep = "wait_event = 'PgSleep'"

    @Test("A caller is answered at its deadline, and its statement is cancelled on the server")
    func deadline() async throws {
        try await Database.use { pool, home in
            try await pool.query(SQL.one)
            let start = ContinuousClock.now
            let error = try await failure { try await pool.within(.milliseconds(200)).query(SQL.sleep, 300.0) }
            #expect(error.kind == .timeout)
            #expect(ContinuousClock.now - start < .seconds(20).patiently, "the statement takes 300 s")
            try await eventually { try await home.sessions(where: Self.isAsleep) == 0 }
        }
    }

    @Test("The server stops a statement when the server's time-out passes")
    func statementTimeout() async throws {
        try await Database.use({ $0.statementTimeout = .milliseconds(100) }) { pool, _ in
            let error = try await failure { try await pool.within(.seconds(600)).query(SQL.sleep, 600.0) }
            #expect(error.kind == .timeout && error.sqlState == "57014")
        }
    }

    @Test("A cancelled task continues at once, and its statement is cancelled on the server")
    func cancellation() async throws {
        try await Database.use { pool, home in
            let task = Task(executorPreference: home.loops.loops[0]) { try await pool.query(SQL.sleep, 300.0) }
            try await eventually { try await home.sessions(where: Self.isAsleep) == 1 }
            task.cancel()
            let error = try await failure { try await task.value }
            #expect(error.kind == .cancelled)
            try await eventually { try await home.sessions(where: Self.isAsleep) == 0 }
        }
    }

    @Test("A task that was cancelled before its call sends nothing")
    func cancelledBefore() async throws {
        try await Database.use { pool, home in
            try await home.server.run(sql: SQL.notes)
            let task = Task(executorPreference: home.loops.loops[0]) {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await pool.execute(SQL.insert, 1)
            }
            let error = try await failure { try await task.value }
            #expect(error.kind == .cancelled)
        }
    }

    @Test("Statements after a cancelled one in the pipeline succeed")
    func neighbours() async throws {
        try await Database.use({ $0.connectionsPerLoop = 1 }) { pool, home in
            try await home.server.run(sql: SQL.notes)
            try await pool.query(SQL.one)
            for round in 0..<10 {
                async let stuck = failure { try await pool.within(.milliseconds(50)).query(SQL.sleep, 300.0) }
                try await withThrowingTaskGroup { group in
                    for number in 0..<20 {
                        group.addTask { try await pool.execute(SQL.insert, round * 20 + number) }
                        group.addTask { try await pool.query(SQL.echo, number).count }
                    }
                    try await group.waitForAll()
                }
                // It may also have timed out while the cancellation before it was being sent.
                let error = try await stuck
                #expect(error.kind == .timeout || error.kind == .exhausted)
            }
            let count = try await pool.query(SQL.count).value(as: Int.self)
            let sessions = try await home.sessions()
            #expect(count == 200 && sessions == 1)
        }
    }

    @Test("A statement that a late cancellation hits by mistake is sent again")
    func strayCancellation() async throws {
        try await Database.use({
            $0.connectionsPerLoop = 1
            $0.cancelGrace = .milliseconds(20)
        }) { pool, _ in
            try await pool.query(SQL.sleep, 0.0)
            // The first statement ends shortly before or after the cancellation arrives, varying with each round.
            for round in 0..<40 {
                async let first = try? pool.within(.milliseconds(20)).query(SQL.sleep, 0.036 + Double(round) * 0.0005)
                async let second = pool.query(SQL.sleep, 0.02)
                async let third = pool.query(SQL.sleep, 0.02)
                _ = await first
                let counts = [try await second.count, try await third.count]
                #expect(counts == [1, 1])
            }
        }
    }
}

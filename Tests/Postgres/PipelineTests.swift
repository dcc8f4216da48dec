import EventLoop
import Postgres
import TestSupport
import Testing

@Suite struct PipelineTests {
    @Test("A failed read does not affect the reads that share its sync", arguments: [1, 2])
    func badRead(loops: Int) async throws {
        try await Database.use(loops: loops, { $0.connectionsPerLoop = 1 }) { pool, _ in
            await withTaskGroup { group in
                for number in 0..<200 {
                    group.addTask {
                        do {
                            let value = try await pool.query(SQL.divide, number % 3).value(as: Int.self)
                            #expect(number % 3 != 0 && value == 6 / (number % 3))
                        } catch {
                            #expect(number % 3 == 0)
                            #expect((error as? PostgresError)?.sqlState == "22012")
                        }
                    }
                }
            }
        }
    }

    @Test("A failed write does not affect other writes and reads")
    func badWrite() async throws {
        try await Database.use({ $0.connectionsPerLoop = 1 }) { pool, home in
            try await home.server.run(sql: SQL.notes)
            let failures = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        do {
                            try await pool.execute(SQL.insert, number / 2)
                            return false
                        } catch {
                            return (error as? PostgresError)?.isUniqueViolation(of: "notes_pkey") == true
                        }
                    }
                    group.addTask { (try? await pool.query(SQL.one)) == nil }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            let count = try await pool.query(SQL.count).value(as: Int.self)
            #expect(failures == 100 && count == 100)
        }
    }

    @Test("A statement that cannot be prepared fails for all callers with the server's reason, and works later")
    func unpreparable() async throws {
        try await Database.use({ $0.connectionsPerLoop = 1 }) { pool, home in
            let states = await withTaskGroup(of: String?.self) { group in
                for _ in 0..<10 {
                    group.addTask { try? await failure { try await pool.query(SQL.count) }.sqlState }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(states == Array(repeating: "42P01", count: 10))
            try await home.server.run(sql: SQL.notes)
            let count = try await pool.query(SQL.count).value(as: Int.self)
            #expect(count == 0)
        }
    }

    @Test("A statement still works after its table has changed or its session has discarded it")
    func staleStatements() async throws {
        try await Database.use({ $0.connectionsPerLoop = 1 }) { pool, home in
            try await home.server.run(sql: SQL.notes + "; insert into notes values (1, 'a')")
            let all = Statement.read("all notes", "select * from notes where id = $1")
            try await pool.query(all, 1)
            try await home.server.run(sql: "alter table notes add column extra int8 default 5")
            let extra = try await pool.query(all, 1).first { row in
                row.skip()
                row.skip()
                return try row.next(as: Int.self)
            }
            #expect(extra == 5)
            try await pool.execute(Statement.write("discard", unprepared: "discard all"))
            let count = try await pool.query(all, 1).count
            #expect(count == 1)
        }
    }

    @Test("A statement with a stale plan is prepared again, also if the server's messages are in another language")
    func translatedMessage() async throws {
        try await Database.use({ $0.connectionsPerLoop = 1 }) { pool, home in
            // A sequence is not rolled back, so the second call succeeds, as that with a new plan does.
            try await home.server.run(
                sql: """
                    create sequence calls;
                    create function stale_once() returns int8 language plpgsql as $$ begin
                        if nextval('calls') = 1 then
                            raise exception 'Ergebnistyp darf sich nicht ändern' using errcode = '0A000';
                        end if;
                        return 5;
                    end $$;
                    """)
            let call = Statement.write("call a stale plan", "select stale_once()")
            let result = try await pool.query(call).value(as: Int.self)
            #expect(result == 5)
        }
    }

    @Test("One statement accepts parameters of several types")
    func signatures() async throws {
        try await Database.use({ $0.connectionsPerLoop = 1 }) { pool, _ in
            let plus = Statement.read("plus one", "select ($1 + 1)::text")
            let small = try await pool.query(plus, 1 as Int16).value(as: String.self)
            let double = try await pool.query(plus, 1.5).value(as: String.self)
            #expect(small == "2" && double == "2.5")
        }
    }

    @Test("Values larger than all buffers can be sent and received at once")
    func large() async throws {
        try await Database.use({ $0.connectionsPerLoop = 1 }) { pool, _ in
            let echo = Statement.read("echo bytes", "select $1::bytea")
            let sizes = try await withThrowingTaskGroup(of: Bool.self) { group in
                for byte in 0..<20 {
                    group.addTask {
                        let bytes = [UInt8](repeating: UInt8(byte), count: 1_000_000)
                        return try await pool.query(echo, bytes).value() == bytes
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(sizes == Array(repeating: true, count: 20))
        }
    }

    @Test("Each caller receives its own result, independent of the order of calls")
    func order() async throws {
        try await Database.use(loops: 2) { pool, home in
            let isRight = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<1_000 {
                    group.addTask(executorPreference: home.loops[any: number]) {
                        (try? await pool.query(SQL.echo, number).value(as: Int.self)) == number
                    }
                }
                return await group.allSatisfy { $0 }
            }
            #expect(isRight)
        }
    }
}

import Postgres
import TestSupport
import Testing
import Wire

@Suite struct ValueTests {
    @Test("A parameter comes back unchanged")
    func roundTrip() async throws {
        try await Database.use { pool, _ in
            func expectEcho<Value: PostgresValue & Equatable>(_ statement: Statement, _ values: Value...) async throws {
                for value in values {
                    let echo = try await pool.query(statement, value).value(as: Value.self)
                    #expect(echo == value)
                }
            }
            try await expectEcho(Statement.read("int8", "select $1::int8"), Int64.min, 0, .max)
            try await expectEcho(Statement.read("int4", "select $1::int4"), Int32.min, 0, .max)
            try await expectEcho(Statement.read("int2", "select $1::int2"), Int16.min, 0, .max)
            try await expectEcho(Statement.read("null", "select $1::int8"), Int64?.none, 1)
            try await expectEcho(Statement.read("bool", "select $1::bool"), true, false)
            try await expectEcho(
                Statement.read("double", "select $1::float8"), -0.1, .infinity, .greatestFiniteMagnitude)
            try await expectEcho(Statement.read("text", "select $1::text"), "", "마루 🪵", "a'b\"c\\d")
            try await expectEcho(Statement.read("bytes", "select $1::bytea"), [UInt8](), [0, 255, 0])
            try await expectEcho(Statement.read("id", "select $1::int8"), UserID(7))
            try await expectEcho(
                Statement.read("time", "select $1::int8"), Timestamp(milliseconds: 0),
                Timestamp(milliseconds: 1_700_000_000_123), Timestamp(milliseconds: -1))
        }
    }

    @Test("Arrays of every type come back unchanged, also empty and with nulls")
    func arrays() async throws {
        try await Database.use { pool, _ in
            func expectEcho<Value: PostgresValue & Equatable>(_ statement: Statement, _ value: Value) async throws {
                let echo = try await pool.query(statement, value).value(as: Value.self)
                #expect(echo == value)
            }
            try await expectEcho(Statement.read("ids", "select $1::int8[]"), [UserID(1), UserID(2)])
            try await expectEcho(Statement.read("numbers", "select $1::int8[]"), [Int64]())
            try await expectEcho(Statement.read("texts", "select $1::text[]"), ["a", nil, ""])
            try await expectEcho(Statement.read("bools", "select $1::bool[]"), [true, false])
            try await expectEcho(Statement.read("blobs", "select $1::bytea[]"), [[0, 1], []] as [[UInt8]])
            try await expectEcho(Statement.read("doubles", "select $1::float8[]"), [1.5, -2])
            try await expectEcho(Statement.read("times", "select $1::int8[]"), [Timestamp(milliseconds: 5)])
        }
    }

    @Test("A string may be a value of any type that the server parses from text")
    func inferredText() async throws {
        try await Database.use { pool, home in
            try await home.server.run(
                sql: """
                    create type mood as enum ('calm', 'loud');
                    create table things (mood mood, document jsonb, price numeric);
                    """)
            let insert = Statement.write(
                "insert thing", "insert into things values ($1, $2, $3) returning mood, document")
            let json = PostgresJSON(Array(#"{"a": [1, 2]}"#.utf8))
            var row = try firstRow(try await pool.query(insert, "loud", json, "1.25"))
            let (mood, document): (String, PostgresJSON) = (try row.next(), try row.next())
            #expect(mood == "loud")
            #expect(document == json)
        }
    }

    private enum Mood: String, PostgresValue, CaseIterable { case calm, loud }

    @Test("An enum is encoded as its raw value; a value without a case is an error")
    func enums() async throws {
        try await Database.use { pool, _ in
            let echo = Statement.read("echo text", "select $1::text")
            for mood in Mood.allCases {
                let back = try await pool.query(echo, mood).value(as: Mood.self)
                #expect(back == mood)
            }
            let error = try await failure { try await pool.query(echo, "sad").value(as: Mood.self) }
            #expect(error.kind == .unexpectedColumn)
        }
    }

    @Test("A number is read from a column of any width if it fits")
    func widths() async throws {
        try await Database.use { pool, _ in
            let small = Statement.read("small", "select 7::int2, 7::int4, 3000000000::int8, 1::float4")
            var row = try firstRow(try await pool.query(small))
            let numbers: [Int64] = [try row.next(), try row.next()]
            #expect(numbers == [7, 7])
            #expect(throws: PostgresError.self) { _ = try row.next(as: Int32.self) }
            #expect(try row.next(as: Double.self) == 1)
        }
    }

    @Test("A time is a bigint of milliseconds")
    func milliseconds() async throws {
        try await Database.use { pool, _ in
            let time = try await pool.query(SQL.echo, 1_700_000_000_123 as Int64).value(as: Timestamp.self)
            #expect(time == Timestamp(milliseconds: 1_700_000_000_123))
        }
    }

    @Test("A column of an unexpected type is an error that names the column")
    func mismatch() async throws {
        try await Database.use { pool, _ in
            let rows = try await pool.query(Statement.read("odd", "select 'x'::text, null::int8, 1.5::numeric"))
            var row = try firstRow(rows)
            #expect(throws: PostgresError.self) { _ = try row.next(as: Int64.self) }
            #expect(throws: PostgresError.self) { _ = try row.next(as: Int64.self) }
            let error = #expect(throws: PostgresError.self) { _ = try row.next(as: String.self) }
            #expect(error?.kind == .unexpectedColumn && error?.message.hasPrefix("column 2") == true)
            #expect(throws: PostgresError.self) { _ = try row.next(as: Int64?.self) }
        }
    }

    @Test("Text with a NUL is refused before it is sent")
    func nul() async throws {
        try await Database.use { pool, home in
            let text = Statement.read("text", "select $1::text")
            for value in ["\0", "a\0b"] {
                let error = try await failure { try await pool.query(text, value) }
                #expect(error.kind == .invalidParameter)
            }
            let texts = Statement.read("texts", "select $1::text[]")
            let inArray = try await failure { try await pool.query(texts, ["a\0"]) }
            #expect(inArray.kind == .invalidParameter)
            let sessions = try await home.sessions()
            #expect(sessions == 0)
        }
    }
}

private func firstRow(_ rows: Rows) throws -> Row {
    var iterator = rows.makeIterator()
    let row = iterator.next()
    return try #require(row)
}

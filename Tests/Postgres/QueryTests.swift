import Postgres
import TestSupport
import Testing
import Wire

@Suite struct QueryTests {
    @Test("What is sent as a parameter comes back as it was")
    func roundTrip() async throws {
        try await Database.use { pool, _ in
            func expectEcho<Value: PostgresValue & Equatable>(_ statement: Statement, _ value: Value) async throws {
                let echo = try await pool.query(statement, value).value(as: Value.self)
                #expect(echo == value)
            }
            try await expectEcho(Echo.int8, Int64.min)
            try await expectEcho(Echo.int8, Int64?.none)
            try await expectEcho(Echo.text, "마루 🪵")
            try await expectEcho(Echo.text, "")
            try await expectEcho(Echo.bool, true)
            try await expectEcho(Echo.double, -0.1)
            try await expectEcho(Echo.bytes, [0, 255, 0] as [UInt8])
            try await expectEcho(Echo.ids, [UserID(1), UserID(7)])
            try await expectEcho(Echo.ids, [UserID]())
            try await expectEcho(Echo.texts, ["a", nil, "c"])
        }
    }

    @Test("A statement that fails does not harm its neighbours in the pipeline")
    func badNeighbour() async throws {
        try await Database.use({ $0.connectionsPerLoop = 1 }) { pool, _ in
            await withTaskGroup { group in
                for number in 0..<100 {
                    group.addTask {
                        do {
                            let value = try await pool.query(Echo.divide, Int64(number % 3)).value(as: Int64.self)
                            #expect(number % 3 != 0 && value == 6 / Int64(number % 3))
                        } catch {
                            #expect(number % 3 == 0)
                            #expect((error as? PostgresError)?.sqlState == "22012")
                        }
                    }
                }
            }
        }
    }
}

enum Echo {
    static let int8 = Statement("echo int8", "select $1::int8")
    static let text = Statement("echo text", "select $1::text")
    static let bool = Statement("echo bool", "select $1::bool")
    static let double = Statement("echo double", "select $1::float8")
    static let bytes = Statement("echo bytes", "select $1::bytea")
    static let ids = Statement("echo ids", "select $1::int8[]")
    static let texts = Statement("echo texts", "select $1::text[]")
    static let divide = Statement("divide", "select 6 / $1::int8")
}

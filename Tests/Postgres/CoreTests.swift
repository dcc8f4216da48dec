import Testing

@testable import Postgres

@Suite struct CoreTests {
    @Test("A queue returns its elements in order, and one can be removed early")
    func queue() {
        var queue = FIFO<Int>()
        var expected: [Int] = []
        for number in 0..<2_000 {
            queue.append(number)
            expected.append(number)
            if number % 3 == 0 { #expect(queue.popFirst() == expected.removeFirst()) }
            if number % 7 == 0 {
                queue.remove { $0 == number - 1 }
                expected.removeAll { $0 == number - 1 }
            }
        }
        #expect(Array(queue) == expected && queue.count == expected.count && queue.first == expected.first)
    }

    @Test("An abandoned statement runs for its grace period, is then cancelled once, and then given up")
    func headWatch() {
        var head = HeadWatch(grace: 10, limit: 100)
        #expect(head.check(isAbandoned: false, now: 0) == .none)
        #expect(head.check(isAbandoned: true, now: 5) == .look(at: 15))
        #expect(head.check(isAbandoned: true, now: 14) == .look(at: 15))
        #expect(head.check(isAbandoned: true, now: 15) == .cancel(lookAt: 105))
        #expect(head.check(isAbandoned: true, now: 50) == .look(at: 105))
        #expect(head.check(isAbandoned: true, now: 105) == .giveUp)
    }

    @Test("A process that stood still asks for the cancellation before it gives a statement up")
    func headWatchStoodStill() {
        var head = HeadWatch(grace: 10, limit: 100)
        #expect(head.check(isAbandoned: true, now: 5) == .look(at: 15))
        #expect(head.check(isAbandoned: true, now: 600) == .cancel(lookAt: 690))
        #expect(head.check(isAbandoned: true, now: 689) == .look(at: 690))
        #expect(head.check(isAbandoned: true, now: 690) == .giveUp)
    }

    @Test("The next statement starts with a new grace period")
    func headMovesOn() {
        var head = HeadWatch(grace: 10, limit: 100)
        _ = head.check(isAbandoned: true, now: 0)
        head.moveOn()
        #expect(head.check(isAbandoned: true, now: 50) == .look(at: 60))
    }

    @Test("Only a prepared read outside a transaction may share a sync")
    func sharedSyncs() {
        func request(_ statement: Statement) -> Request {
            Request(.one(Request.Step(statement: statement, parameters: PostgresParameters())), budget: 1)
        }
        #expect(request(Statement.read("read", "select 1")).mayShareSync)
        #expect(!request(Statement.write("write", "select 1")).mayShareSync)
        #expect(!request(Statement.read("read", unprepared: "select 1")).mayShareSync)
        #expect(!request(Statement.write("write", unprepared: "select 1")).mayShareSync)
        let inTransaction = request(Statement.read("read", "select 1"))
        inTransaction.isInTransaction = true
        #expect(!inTransaction.mayShareSync)
    }

    @Test("Each of several hosts gets a configuration that accepts a replica, with the connection string's settings")
    func eachHost() throws {
        let text = #"postgres://me:pa%27ss%5C@one:1,two:2/maru?target_session_attrs=read-write&sslmode=require"#
        var configuration = PostgresConfiguration(text)
        configuration.schema = "chat"
        let each = configuration.ofEachHost
        #expect(each.map(\.host) == ["one:1", "two:2"] && each.allSatisfy { $0.configuration.schema == "chat" })
        let second = try ConnectionString(each[1].configuration.connectionString)
        #expect(second.hosts.map(\.description) == ["two:2"] && !second.needsWritable)
        for (name, value) in ["user": "me", "password": #"pa'ss\"#, "dbname": "maru", "sslmode": "require"] {
            #expect(second.settings[name] == value)
        }
        #expect(PostgresConfiguration("postgres://me@one/maru").ofEachHost.isEmpty)
    }

    @Test("Different lists of types have different signatures")
    func signatures() throws {
        let lists = [
            PostgresParameters(), try PostgresParameters(1), try PostgresParameters(1, 2),
            try PostgresParameters(""),
            try PostgresParameters(1, ""), try PostgresParameters("", 1), try PostgresParameters(1 as Int32),
        ]
        #expect(Set(lists.map(\.signature)).count == lists.count)
        #expect(try PostgresParameters(Int?.none).signature == PostgresParameters(1).signature)
    }
}

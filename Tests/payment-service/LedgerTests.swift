import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import payment_service

@Suite("The ledger's internal routes", .serialized)
struct LedgerTests {
    @Test("The first use of an account credits the welcome grant once, in concurrent calls too")
    func welcomeGrant() async throws {
        try await PaymentFixture.use(instances: 2) { fixture in
            let balances = try await withThrowingTaskGroup(of: Int.self) { group in
                for caller in 0..<64 { group.addTask { try await fixture.balance(Int64(caller % 4 + 1)) } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(balances == Array(repeating: 100, count: 64))
            let grants = try await fixture.value(
                "select count(*), sum(balance) from payment.entry where book = 'grants'")
            #expect(grants == "4|400")
        }
    }

    @Test("Balances are returned in bulk, and missing accounts are opened")
    func bulk() async throws {
        try await PaymentFixture.use { fixture in
            _ = try await fixture.balance(7)
            _ = try await fixture.reserve("k", user: 7, amount: 30)
            let reply = try await fixture.ask("POST", "/internal/balances", json: #"{"ids":["7","8","7"]}"#)
            let balances = try reply.json["balances"]?.elements?.map {
                "\($0["user_id"]?.string ?? ""):\($0["balance"]?.int ?? 0)"
            }
            #expect(balances?.sorted() == ["7:70", "8:100"], "\(reply.status) \(reply.text)")
            #expect(try await fixture.ask("POST", "/internal/balances", json: #"{"ids":["x"]}"#).errorCode == "E11")
        }
    }

    @Test("Without a welcome grant an account begins empty")
    func noGrant() async throws {
        try await PaymentFixture.use(["welcome_grant": "0"]) { fixture in
            let balance = try await fixture.balance(7)
            #expect(balance == 0)
            let reply = try await fixture.reserve("k", user: 7, amount: 1)
            #expect(reply.status == 402)
            #expect(reply.errorCode == "E21")
        }
    }

    @Test("Reserve and release reply as documented, and repeated calls and captures get the same reply")
    func spending() async throws {
        try await PaymentFixture.use { fixture in
            for _ in 0..<2 {
                let reserved = try await fixture.reserve("a", user: 7, amount: 30)
                #expect(reserved.status == 200)
                #expect(reserved.text == #"{"key":"a","state":"reserved","balance":70}"#)
            }
            for _ in 0..<2 { #expect(try await fixture.capture("a", user: 7, amount: 30)) }
            let again = try await fixture.reserve("a", user: 7, amount: 30)
            #expect(again.text == #"{"key":"a","state":"reserved","balance":70}"#)
            _ = try await fixture.reserve("b", user: 7, amount: 20)
            for _ in 0..<2 {
                let released = try await fixture.release("b")
                #expect(released.text == #"{"state":"released"}"#)
            }
            let balance = try await fixture.balance(7)
            #expect(balance == 70)
        }
    }

    @Test("Refused calls get the documented status and code")
    func refusals() async throws {
        try await PaymentFixture.use { fixture in
            _ = try await fixture.reserve("a", user: 7, amount: 30)
            _ = try await fixture.reserve("b", user: 7, amount: 10)
            _ = try await fixture.capture("a", user: 7, amount: 30)
            _ = try await fixture.release("b")
            let refusals = [
                (try await fixture.reserve("c", user: 7, amount: 71), 402, "E21"),
                (try await fixture.reserve("a", user: 8, amount: 30), 409, "E11"),
                (try await fixture.reserve("a", user: 7, amount: 31), 409, "E11"),
                (try await fixture.release("a"), 409, "E11"),
                (try await fixture.release("never"), 404, "E13"),
                (try await fixture.reserve("d", user: 7, amount: 0), 422, "E11"),
                (try await fixture.reserve("d", user: 7, amount: -5), 422, "E11"),
                (try await fixture.reserve("", user: 7, amount: 5), 422, "E11"),
                (try await fixture.reserve(String(repeating: "k", count: 201), user: 7, amount: 5), 422, "E11"),
                (try await fixture.reserve("d", user: 0, amount: 5), 422, "E11"),
                (try await fixture.ask("POST", "/internal/balances", json: #"{"ids":["0"]}"#), 422, "E11"),
                (try await fixture.ask("POST", "/internal/reserves", json: "{"), 422, "E11"),
            ]
            for (reply, status, code) in refusals {
                #expect(reply.status == status, "\(reply.text)")
                #expect(reply.errorCode == code, "\(reply.text)")
            }
            let balance = try await fixture.balance(7)
            #expect(balance == 70)
        }
    }

    @Test("A capture of another user's coins or of released coins is logged, moves nothing and is not retried")
    func refusedCaptures() async throws {
        try await PaymentFixture.use { fixture in
            _ = try await fixture.reserve("a", user: 7, amount: 30)
            _ = try await fixture.reserve("b", user: 7, amount: 10)
            _ = try await fixture.release("b")
            try await fixture.publishCapture("a", user: 8, amount: 30)
            try await fixture.publishCapture("b", user: 7, amount: 10)
            // Facts are handled in order, so this one comes after the refusals.
            #expect(try await fixture.capture("c", user: 7, amount: 5))
            try await eventually("the log") {
                let refusals = fixture.log.split(separator: "\n").filter { $0.contains("a capture was refused") }
                return refusals.count == 2 && refusals[0].contains("otherSpend") && refusals[1].contains("alreadyEnded")
            }
            #expect(try await fixture.balance(7) == 65)
            #expect(try await fixture.balance(8) == 100)
            let states = try await fixture.database.run(sql: "select key, state from payment.reserve order by key")
            #expect(states == "a|reserved\nb|released\nc|captured\n")
        }
    }

    @Test("A reserve without a capture expires; a late capture takes coins if there are enough, else it is listed")
    func expiry() async throws {
        try await PaymentFixture.use(["reserve_lifetime": "100ms"]) { fixture in
            _ = try await fixture.reserve("a", user: 7, amount: 60)
            _ = try await fixture.reserve("b", user: 7, amount: 40)
            try await eventually("the expiry") { try await fixture.balance(7) == 100 }
            #expect(try await fixture.capture("a", user: 7, amount: 60))
            #expect(try await fixture.capture("c", user: 7, amount: 20))
            #expect(try await !fixture.capture("b", user: 7, amount: 40))
            let balance = try await fixture.balance(7)
            #expect(balance == 20)
            let listed = try await fixture.reconcile()
            #expect(listed == ["capture_uncollected b"])
        }
    }

    @Test("A reserve that cannot expire does not keep the coins of other users")
    func badReserve() async throws {
        try await PaymentFixture.use(["reserve_lifetime": "1ms"]) { fixture in
            try await fixture.database.run(
                sql: """
                    create function payment.refuse_reserve() returns trigger language plpgsql as
                        $$ begin raise exception 'planted'; end $$;
                    create trigger planted before update on payment.reserve for each row
                        when (old.key = 'a') execute function payment.refuse_reserve()
                    """)
            _ = try await fixture.reserve("a", user: 7, amount: 60)
            _ = try await fixture.reserve("b", user: 8, amount: 40)
            try await eventually("the expiry") { try await fixture.balance(8) == 100 }
            let held = try await fixture.balance(7)
            #expect(held == 40)
        }
    }

    @Test("Two instances expire a reserve once")
    func expiryOnce() async throws {
        try await PaymentFixture.use(instances: 2, ["reserve_lifetime": "1ms", "sweep_interval": "5ms"]) { fixture in
            for number in 0..<20 { _ = try await fixture.reserve("k\(number)", user: Int64(number % 3 + 1), amount: 3) }
            try await eventually("the expiry") {
                try await fixture.value("select count(*) from payment.reserve where state = 'reserved'") == "0"
            }
            let expiries = try await fixture.value("select count(*) from payment.transaction where kind = 'expiry'")
            #expect(expiries == "20")
            for user in 1...3 as ClosedRange<Int64> {
                let balance = try await fixture.balance(user)
                #expect(balance == 100)
            }
            #expect(fixture.refusedStatements == [])
        }
    }

    @Test(
        "64 concurrent spends of one user on two instances with kill -9: no balance below zero, every sum zero"
    )
    func concurrentSpends() async throws {
        try await PaymentFixture.use(instances: 2) { fixture in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for caller in 0..<64 {
                    group.addTask {
                        let reply = try await fixture.retried {
                            try await fixture.reserve("k\(caller)", user: 7, amount: 3)
                        }
                        guard reply.status == 200 else { return reply.status }
                        return try await fixture.capture("k\(caller)", user: 7, amount: 3) ? 200 : 0
                    }
                }
                for index in 0..<3 { try await fixture.replace(index) }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 33)
            #expect(statuses.count { $0 == 402 } == 31)
            let balance = try await fixture.balance(7)
            #expect(balance == 1)
            let books = try await fixture.database.run(
                sql: "select book, balance from payment.balance where user_id = 7 order by book")
            #expect(books == "grants|100\nreserved|0\nrevenue|99\nwallet|1\n")
            let lowest = try await fixture.value("select min(balance), sum(amount) from payment.entry")
            #expect(lowest == "0|0")
            let differences = try await fixture.reconcile()
            #expect(differences.isEmpty)
            #expect(fixture.refusedStatements == [])
        }
    }

    @Test("64 concurrent spends of one user are serialised without an error or a deadlock")
    func serialised() async throws {
        try await PaymentFixture.use(instances: 2, ["welcome_grant": "100000"]) { fixture in
            let replies = try await withThrowingTaskGroup(of: String.self) { group in
                for caller in 0..<64 {
                    group.addTask {
                        for round in 0..<5 {
                            let reply = try await fixture.reserve("\(caller)-\(round)", user: 7, amount: 1)
                            guard reply.status == 200 else { return reply.text }
                        }
                        return ""
                    }
                }
                return try await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(Set(replies) == [""])
            let balance = try await fixture.balance(7)
            #expect(balance == 99_680)
            #expect(fixture.refusedStatements == [])
        }
    }

    @Test("A change of balance publishes a fact with the next version; a rolled back change publishes none")
    func facts() async throws {
        try await PaymentFixture.use { fixture in
            _ = try await fixture.reserve("a", user: 7, amount: 30)
            _ = try await fixture.reserve("b", user: 7, amount: 500)
            _ = try await fixture.capture("a", user: 7, amount: 30)
            _ = try await fixture.reserve("c", user: 7, amount: 20)
            _ = try await fixture.release("c")
            let bodies = try await fixture.facts(4)
            #expect(
                bodies == [
                    #"{"user_id":"7","balance":100,"version":1}"#, #"{"user_id":"7","balance":70,"version":2}"#,
                    #"{"user_id":"7","balance":50,"version":3}"#, #"{"user_id":"7","balance":70,"version":4}"#,
                ])
        }
    }
}

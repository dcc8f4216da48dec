import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import payment_service

@Suite("Purchases under concurrency and crashes", .serialized)
struct PaymentPromiseTests {
    @Test(
        "Client call, webhook and reconciliation in any order or at once, with kill -9: one credit a payment")
    func oneCredit() async throws {
        try await PaymentFixture.use(instances: 2) { fixture in
            let payments = 12
            for number in 0..<payments {
                fixture.provider.put(.init(reference: Self.reference(number), order: Self.order(number)))
            }
            // Half of the payments are stored before a buyer claims them.
            for number in 0..<payments where number % 4 < 2 {
                let (reference, id) = (Self.reference(number), "first-\(number)")
                let reply =
                    number % 2 == 0
                    ? try await fixture.webhookV1(reference) : try await fixture.webhookV2(reference, id: id)
                #expect(reply.status == 200)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for caller in 0..<64 {
                    group.addTask { try await Self.claimAll(caller, fixture, payments) }
                }
                for index in 0..<3 { try await fixture.replace(index) }
                try await group.waitForAll()
            }
            for number in 0..<payments {
                var owners: [Int64] = []
                for user in 1...4 as ClosedRange<Int64> {
                    let reply = try await fixture.validate(Self.reference(number), Self.order(number), user: user)
                    if reply.status == 200 { owners.append(user) } else { #expect(reply.errorCode == "E82") }
                }
                #expect(owners.count == 1)
            }
            let credits = try await fixture.value(
                "select count(*), sum(balance) from payment.balance where book = 'purchases' and balance > 0")
            #expect(credits.hasSuffix("|\(payments * 10)"))
            let transactions = try await fixture.value(
                "select count(*) from payment.transaction where kind = 'purchase'")
            #expect(transactions == "\(payments)")
            var total = 0
            for user in 1...4 as ClosedRange<Int64> { total += try await fixture.balance(user) }
            #expect(total == 4 * 100 + payments * 10)
            let differences = try await fixture.reconcile()
            #expect(differences.isEmpty)
            #expect(fixture.refusedStatements == [])
        }
    }

    @Test("Calls that the provider answers at the same moment run one by one: one owner, and no refused statement")
    func sameMoment() async throws {
        try await PaymentFixture.use(instances: 2) { fixture in
            for round in 0..<8 {
                let (reference, order) = (Self.reference(round), Self.order(round))
                fixture.provider.put(.init(reference: reference, order: order))
                let first =
                    round % 2 == 0
                    ? try await fixture.webhookV1(reference) : try await fixture.webhookV2(reference, id: "w\(round)")
                #expect(first.status == 200)
                // Only the owner of the order reaches PortOne V2.
                fixture.provider.gather(round % 2 == 0 ? 6 : 1)
                let owners = try await withThrowingTaskGroup(of: Int.self) { group in
                    for user in 1...6 as ClosedRange<Int64> {
                        group.addTask { try await fixture.validate(reference, order, user: user).status }
                    }
                    return try await group.reduce(0) { $0 + ($1 == 200 ? 1 : 0) }
                }
                #expect(owners == 1)
            }
            #expect(fixture.refusedStatements == [])
        }
    }

    private static func reference(_ number: Int) -> String { number % 2 == 0 ? "imp_\(number)" : "pay-\(number)" }

    private static func order(_ number: Int) -> String { "ios_sooda_170000000\(number)" }

    /// One of 64 callers. Each claims every payment, in an order and through a route of its own.
    private static func claimAll(_ caller: Int, _ fixture: PaymentFixture, _ payments: Int) async throws {
        var random = SeededGenerator(seed: UInt64(caller))
        // Half of the callers use the same order, so that they meet at every payment.
        let numbers = caller < 32 ? Array(0..<payments) : (0..<payments).shuffled(using: &random)
        for number in numbers {
            let (reference, order) = (reference(number), order(number))
            let reply = try await fixture.retried {
                switch caller % 8 {
                case 0: try await fixture.ask("POST", "/internal/reconciliation")
                case 1, 2:
                    number % 2 == 0
                        ? try await fixture.webhookV1(reference)
                        : try await fixture.webhookV2(reference, id: "w\(caller)-\(number)")
                default: try await fixture.validate(reference, order, user: Int64(caller % 4 + 1))
                }
            }
            let isExpected = reply.status == 200 || reply.errorCode == "E82"
            #expect(isExpected, "\(reply.status) \(reply.text)")
        }
    }

    @Test("A cancellation takes the coins back by one counter-entry, however often it is reported")
    func cancellation() async throws {
        try await PaymentFixture.use { fixture in
            try await fixture.firstReconciliation()
            fixture.provider.put(.init(reference: "imp_1", order: "ios_sooda_1"))
            _ = try await fixture.validate("imp_1", "ios_sooda_1")
            fixture.provider.change("imp_1") { $0.status = "cancelled" }
            for _ in 0..<3 { _ = try await fixture.webhookV1("imp_1", status: "cancelled") }
            let first = try await fixture.reconcile()
            #expect(first.isEmpty)
            let balance = try await fixture.balance(7)
            #expect(balance == 100)
            let entries = try await fixture.database.run(
                sql: """
                    select kind, book, amount from payment.entry join payment.transaction on id = transaction_id
                    where kind <> 'grant' order by id, book
                    """)
            #expect(entries == "purchase|purchases|-10\npurchase|wallet|10\nrefund|purchases|10\nrefund|wallet|-10\n")
            let again = try await fixture.validate("imp_1", "ios_sooda_1")
            #expect(again.errorCode == "E81")
            let other = try await fixture.validate("imp_1", "ios_sooda_1", user: 8)
            #expect(other.errorCode == "E82")
        }
    }

    @Test("A partial refund takes its share of the coins; spent coins are a loss, and no balance goes below zero")
    func parts() async throws {
        try await PaymentFixture.use(["welcome_grant": "0"]) { fixture in
            fixture.provider.put(.init(reference: "pay-1", order: "ios_sooda_1"))
            _ = try await fixture.validate("pay-1", "ios_sooda_1")
            fixture.provider.change("pay-1") {
                $0.cancelled = 30
                $0.status = "PARTIAL_CANCELLED"
            }
            _ = try await fixture.webhookV2("pay-1", id: "w1", type: "Transaction.PartialCancelled")
            let afterPart = try await fixture.balance(7)
            #expect(afterPart == 7)
            _ = try await fixture.capture("spend", user: 7, amount: 5)
            fixture.provider.change("pay-1") {
                $0.cancelled = 100
                $0.status = "cancelled"
            }
            _ = try await fixture.webhookV2("pay-1", id: "w2", type: "Transaction.Cancelled")
            let books = try await fixture.database.run(
                sql: "select book, balance from payment.balance where user_id = 7 order by book")
            #expect(books == "losses|5\npurchases|0\nrevenue|5\nwallet|0\n")
        }
    }
}

import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import payment_service

@Suite("Purchases under fire", .serialized)
struct PaymentPromiseTests {
    @Test(
        "Client call, webhook and reconciliation in any order or all at once, kill -9 in between: one credit a payment")
    func oneCredit() async throws {
        try await PaymentHouse.use(instances: 2) { house in
            let payments = 12
            for number in 0..<payments {
                house.world.put(.init(reference: Self.reference(number), order: Self.order(number)))
            }
            // Half of them are known before anybody claims them.
            for number in 0..<payments where number % 4 < 2 {
                let (reference, id) = (Self.reference(number), "first-\(number)")
                let reply =
                    number % 2 == 0
                    ? try await house.oldWebhook(reference) : try await house.newWebhook(reference, id: id)
                #expect(reply.status == 200)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for caller in 0..<64 {
                    group.addTask { try await Self.press(caller, house, payments) }
                }
                for turn in 0..<3 { try await house.replace(turn) }
                try await group.waitForAll()
            }
            for number in 0..<payments {
                var owners: [Int64] = []
                for user in 1...4 as ClosedRange<Int64> {
                    let reply = try await house.validate(Self.reference(number), Self.order(number), user: user)
                    if reply.status == 200 { owners.append(user) } else { #expect(reply.errorCode == "E82") }
                }
                #expect(owners.count == 1)
            }
            let credits = try await house.value(
                "select count(*), sum(balance) from payment.balance where book = 'purchases' and balance > 0")
            #expect(credits.hasSuffix("|\(payments * 10)"))
            let transactions = try await house.value(
                "select count(*) from payment.transaction where kind = 'purchase'")
            #expect(transactions == "\(payments)")
            var total = 0
            for user in 1...4 as ClosedRange<Int64> { total += try await house.balance(user) }
            #expect(total == 4 * 100 + payments * 10)
            let differences = try await house.reconcile()
            #expect(differences.isEmpty)
            #expect(house.refusedStatements == [])
        }
    }

    @Test("Those whom the provider answers in the same moment follow each other: one owner, and no statement refused")
    func sameMoment() async throws {
        try await PaymentHouse.use(instances: 2) { house in
            for round in 0..<8 {
                let (reference, order) = (Self.reference(round), Self.order(round))
                house.world.put(.init(reference: reference, order: order))
                let first =
                    round % 2 == 0
                    ? try await house.oldWebhook(reference) : try await house.newWebhook(reference, id: "w\(round)")
                #expect(first.status == 200)
                house.world.gather(6)
                let owners = try await withThrowingTaskGroup(of: Int.self) { group in
                    for user in 1...6 as ClosedRange<Int64> {
                        group.addTask { try await house.validate(reference, order, user: user).status }
                    }
                    return try await group.reduce(0) { $0 + ($1 == 200 ? 1 : 0) }
                }
                #expect(owners == 1)
            }
            #expect(house.refusedStatements == [])
        }
    }

    private static func reference(_ number: Int) -> String { number % 2 == 0 ? "imp_\(number)" : "pay-\(number)" }

    private static func order(_ number: Int) -> String { "ios_sooda_170000000\(number)" }

    /// One of 64 callers, each of whom presses on every payment in an order and by a way of its own.
    private static func press(_ caller: Int, _ house: PaymentHouse, _ payments: Int) async throws {
        var random = SeededGenerator(seed: UInt64(caller))
        // Half of them go the same way, so that they meet at every payment.
        let numbers = caller < 32 ? Array(0..<payments) : (0..<payments).shuffled(using: &random)
        for number in numbers {
            let (reference, order) = (reference(number), order(number))
            let reply = try await house.persistently {
                switch caller % 8 {
                case 0: try await house.ask("POST", "/internal/reconciliation")
                case 1, 2:
                    number % 2 == 0
                        ? try await house.oldWebhook(reference)
                        : try await house.newWebhook(reference, id: "w\(caller)-\(number)")
                default: try await house.validate(reference, order, user: Int64(caller % 4 + 1))
                }
            }
            let isExpected = reply.status == 200 || reply.errorCode == "E82"
            #expect(isExpected, "\(reply.status) \(reply.text)")
        }
    }

    @Test("A cancellation takes the coins back by a counter-entry, once, whoever tells of it")
    func cancellation() async throws {
        try await PaymentHouse.use { house in
            house.world.put(.init(reference: "imp_1", order: "ios_sooda_1"))
            _ = try await house.validate("imp_1", "ios_sooda_1")
            house.world.change("imp_1") { $0.status = "cancelled" }
            for _ in 0..<3 { _ = try await house.oldWebhook("imp_1", status: "cancelled") }
            let first = try await house.reconcile()
            #expect(first.isEmpty)
            let balance = try await house.balance(7)
            #expect(balance == 100)
            let entries = try await house.database.run(
                sql: """
                    select kind, book, amount from payment.entry join payment.transaction on id = transaction_id
                    where kind <> 'grant' order by id, book
                    """)
            #expect(entries == "purchase|purchases|-10\npurchase|wallet|10\nrefund|purchases|10\nrefund|wallet|-10\n")
            let again = try await house.validate("imp_1", "ios_sooda_1")
            #expect(again.errorCode == "E81")
            let other = try await house.validate("imp_1", "ios_sooda_1", user: 8)
            #expect(other.errorCode == "E82")
        }
    }

    @Test("A part that goes back takes its share of the coins; what was spent is a loss, and nothing goes below zero")
    func parts() async throws {
        try await PaymentHouse.use(["welcome_grant": "0"]) { house in
            house.world.put(.init(reference: "pay-1", order: "ios_sooda_1"))
            _ = try await house.validate("pay-1", "ios_sooda_1")
            house.world.change("pay-1") {
                $0.cancelled = 30
                $0.status = "PARTIAL_CANCELLED"
            }
            _ = try await house.newWebhook("pay-1", id: "w1", type: "Transaction.PartialCancelled")
            let afterPart = try await house.balance(7)
            #expect(afterPart == 7)
            _ = try await house.capture("spend", user: 7, amount: 5)
            house.world.change("pay-1") {
                $0.cancelled = 100
                $0.status = "cancelled"
            }
            _ = try await house.newWebhook("pay-1", id: "w2", type: "Transaction.Cancelled")
            let books = try await house.database.run(
                sql: "select book, balance from payment.balance where user_id = 7 order by book")
            #expect(books == "losses|5\npurchases|0\nrevenue|5\nwallet|0\n")
        }
    }
}

import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import payment_service

@Suite("Reconciliation", .serialized)
struct ReconciliationTests {
    /// Runs SQL past all triggers, as somebody with the disk in his hands might.
    private func plant(_ sql: String, in house: PaymentHouse) async throws {
        let tables = ["account", "transaction", "entry", "reserve", "payment"].map { "payment.\($0)" }
        let off = tables.map { "alter table \($0) disable trigger all;" }.joined()
        let on = tables.map {
            "alter table \($0) enable trigger all;"
        }.joined()
        try await house.database.run(sql: off + sql + ";" + on)
    }

    /// Waits until the run that comes due with the start has ended: it would list what it has seen meanwhile.
    private func firstRun(in house: PaymentHouse) async throws {
        try await eventually("the first run") {
            try await house.value("select finished_at is not null from payment.schedule") == "t"
        }
    }

    @Test("A difference planted in the ledger or in a payment's record is found, listed, counted and resolved")
    func plantedHere() async throws {
        try await PaymentHouse.use { house in
            try await firstRun(in: house)
            house.world.put(.init(reference: "imp_1", order: "ios_sooda_1"))
            _ = try await house.validate("imp_1", "ios_sooda_1")
            _ = try await house.reserve("k", user: 7, amount: 5)
            let clean = try await house.reconcile()
            #expect(clean.isEmpty)
            let cases: [(plant: String, undo: String, finds: Set<String>)] = [
                (
                    "update payment.entry set amount = amount + 1 where transaction_id = 2 and book = 'wallet'",
                    "update payment.entry set amount = amount - 1 where transaction_id = 2 and book = 'wallet'",
                    ["transaction_sum 2", "book_balance 7 wallet"]
                ),
                (
                    "update payment.entry set balance = balance + 1000 where transaction_id = 3 and book = 'wallet'",
                    "update payment.entry set balance = balance - 1000 where transaction_id = 3 and book = 'wallet'",
                    ["book_balance 7 wallet"]
                ),
                (
                    "update payment.reserve set amount = 6", "update payment.reserve set amount = 5",
                    ["reserved_sum 7"]
                ),
                (
                    "update payment.payment set coins = 11", "update payment.payment set coins = 10",
                    ["purchased_sum 7"]
                ),
                (
                    "update payment.payment set amount = 99", "update payment.payment set amount = 100",
                    ["payment_amount 1"]
                ),
                (
                    "update payment.payment set currency = 'USD'", "update payment.payment set currency = 'KRW'",
                    ["payment_currency 1"]
                ),
                (
                    "update payment.payment set order_number = 'x'",
                    "update payment.payment set order_number = 'ios_sooda_1'", ["payment_order 1"]
                ),
            ]
            for one in cases {
                try await plant(one.plant, in: house)
                let found = try await house.reconcile()
                #expect(found == one.finds, "\(one.plant)")
                let listed = try await house.ask("GET", "/internal/differences").text
                for difference in found { #expect(listed.contains(difference.split(separator: " ")[0])) }
                try await plant(one.undo, in: house)
                let resolved = try await house.reconcile()
                #expect(resolved.isEmpty, "\(one.undo)")
            }
        }
    }

    @Test("A difference planted at the provider is found; a cancellation that nobody told of is followed at once")
    func plantedThere() async throws {
        try await PaymentHouse.use { house in
            try await firstRun(in: house)
            house.world.put(.init(reference: "imp_1", order: "ios_sooda_1"))
            _ = try await house.validate("imp_1", "ios_sooda_1")
            house.world.change("imp_1") { $0.amount = 5 }
            let amount = try await house.reconcile()
            #expect(amount == ["payment_amount 1"])
            house.world.change("imp_1") {
                $0.amount = 100
                $0.status = "failed"
            }
            let unpaid = try await house.reconcile()
            #expect(unpaid == ["payment_unpaid 1"])
            house.world.forget("imp_1")
            let missing = try await house.reconcile()
            #expect(missing == ["payment_missing 1"])
            house.world.put(.init(reference: "imp_1", order: "ios_sooda_1", status: "cancelled"))
            let cancelled = try await house.reconcile()
            #expect(cancelled == ["payment_cancelled 1"])
            let balance = try await house.balance(7)
            #expect(balance == 100)
            let settled = try await house.reconcile()
            #expect(settled.isEmpty)
        }
    }

    @Test("While a provider is silent, its differences stand; the ledger is checked all the same")
    func silence() async throws {
        try await PaymentHouse.use { house in
            try await firstRun(in: house)
            house.world.put(.init(reference: "imp_1", order: "ios_sooda_1"))
            _ = try await house.validate("imp_1", "ios_sooda_1")
            house.world.change("imp_1") { $0.amount = 5 }
            _ = try await house.reconcile()
            house.world.mood = .failing
            try await plant("update payment.reserve set amount = 6; update payment.payment set coins = 11", in: house)
            let found = try await house.reconcile()
            #expect(found == ["payment_amount 1", "purchased_sum 7"])
        }
    }

    @Test("Paid payments that nobody claims, and attempts that no provider answers, are listed")
    func leftovers() async throws {
        let settings = ["unclaimed_after": "0s", "attempt_lifetime": "0s"]
        try await PaymentHouse.use(settings) { house in
            house.world.put(.init(reference: "imp_1", order: "ios_sooda_1"))
            _ = try await house.oldWebhook("imp_1")
            house.world.mood = .failing
            _ = try await house.validate("imp_2", "ios_sooda_2")
            try await eventually("giving up") {
                try await house.value("select outcome from payment.attempt where reference = 'imp_2'") == "abandoned"
            }
            let found = try await house.reconcile()
            #expect(found == ["payment_unclaimed 1", "attempt_abandoned 2"])
        }
    }

    @Test("It runs by command, which prints what it finds and tells by its status whether there is anything")
    func command() async throws {
        try await PaymentHouse.use { house in
            house.world.put(.init(reference: "imp_1", order: "ios_sooda_1"))
            _ = try await house.validate("imp_1", "ios_sooda_1")
            let clean = try await house.command("reconcile")
            #expect(clean.status == 0)
            #expect(clean.output.contains(#""differences":[]"#))
            house.world.change("imp_1") { $0.amount = 5 }
            let found = try await house.command("reconcile")
            #expect(found.status == 1)
            #expect(found.output.contains(#""kind":"payment_amount","subject":"1","ours":"100","theirs":"5""#))
            let unknown = try await house.command("reconsider")
            #expect(unknown.status == 2)
        }
    }

    @Test("It runs by itself when it is due, in one of the instances")
    func schedule() async throws {
        try await PaymentHouse.use(instances: 2) { house in
            try await firstRun(in: house)
            house.world.put(.init(reference: "imp_1", order: "ios_sooda_1"))
            _ = try await house.validate("imp_1", "ios_sooda_1")
            house.world.change("imp_1") { $0.status = "cancelled" }
            try await house.database.run(sql: "update payment.schedule set due_at = 0")
            try await eventually("the refund") { try await house.balance(7) == 100 }
        }
    }
}

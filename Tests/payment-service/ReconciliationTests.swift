import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import payment_service

@Suite("Reconciliation", .serialized)
struct ReconciliationTests {
    /// Runs SQL with all triggers disabled, as an attacker with access to the disk could.
    private func plant(_ sql: String, in fixture: PaymentFixture) async throws {
        let tables = ["account", "transaction", "entry", "reserve", "payment"].map { "payment.\($0)" }
        let off = tables.map { "alter table \($0) disable trigger all;" }.joined()
        let on = tables.map {
            "alter table \($0) enable trigger all;"
        }.joined()
        try await fixture.database.run(sql: off + sql + ";" + on)
    }

    /// Waits for the first scheduled run, which would list differences that the test plants.
    private func firstRun(in fixture: PaymentFixture) async throws {
        try await eventually("the first run") {
            try await fixture.value("select finished_at is not null from payment.schedule") == "t"
        }
    }

    @Test("A difference planted in the ledger or in a stored payment is found, listed and resolved")
    func plantedInDatabase() async throws {
        try await PaymentFixture.use { fixture in
            try await firstRun(in: fixture)
            fixture.provider.put(.init(reference: "imp_1", order: "ios_sooda_1"))
            _ = try await fixture.validate("imp_1", "ios_sooda_1")
            _ = try await fixture.reserve("k", user: 7, amount: 5)
            let clean = try await fixture.reconcile()
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
                try await plant(one.plant, in: fixture)
                let found = try await fixture.reconcile()
                #expect(found == one.finds, "\(one.plant)")
                let listed = try await fixture.ask("GET", "/internal/differences").text
                for difference in found { #expect(listed.contains(difference.split(separator: " ")[0])) }
                try await plant(one.undo, in: fixture)
                let resolved = try await fixture.reconcile()
                #expect(resolved.isEmpty, "\(one.undo)")
            }
        }
    }

    @Test("A difference planted at the provider is found, and a missed cancellation is refunded at once")
    func plantedAtProvider() async throws {
        try await PaymentFixture.use { fixture in
            try await firstRun(in: fixture)
            fixture.provider.put(.init(reference: "imp_1", order: "ios_sooda_1"))
            _ = try await fixture.validate("imp_1", "ios_sooda_1")
            fixture.provider.change("imp_1") { $0.amount = 5 }
            let amount = try await fixture.reconcile()
            #expect(amount == ["payment_amount 1"])
            fixture.provider.change("imp_1") {
                $0.amount = 100
                $0.status = "failed"
            }
            let unpaid = try await fixture.reconcile()
            #expect(unpaid == ["payment_unpaid 1"])
            fixture.provider.remove("imp_1")
            let missing = try await fixture.reconcile()
            #expect(missing == ["payment_missing 1"])
            fixture.provider.put(.init(reference: "imp_1", order: "ios_sooda_1", status: "cancelled"))
            let cancelled = try await fixture.reconcile()
            #expect(cancelled == ["payment_cancelled 1"])
            let balance = try await fixture.balance(7)
            #expect(balance == 100)
            let settled = try await fixture.reconcile()
            #expect(settled.isEmpty)
        }
    }

    @Test("While a provider is down its differences stay unresolved, and the ledger is still checked")
    func providerDown() async throws {
        try await PaymentFixture.use { fixture in
            try await firstRun(in: fixture)
            fixture.provider.put(.init(reference: "imp_1", order: "ios_sooda_1"))
            _ = try await fixture.validate("imp_1", "ios_sooda_1")
            fixture.provider.change("imp_1") { $0.amount = 5 }
            _ = try await fixture.reconcile()
            fixture.provider.behavior = .failing
            try await plant("update payment.reserve set amount = 6; update payment.payment set coins = 11", in: fixture)
            let found = try await fixture.reconcile()
            #expect(found == ["payment_amount 1", "purchased_sum 7"])
        }
    }

    @Test("Unclaimed payments and abandoned attempts are listed")
    func leftovers() async throws {
        let settings = ["unclaimed_after": "0s", "attempt_lifetime": "0s"]
        try await PaymentFixture.use(settings) { fixture in
            fixture.provider.put(.init(reference: "imp_1", order: "ios_sooda_1"))
            _ = try await fixture.webhookV1("imp_1")
            fixture.provider.behavior = .failing
            _ = try await fixture.validate("imp_2", "ios_sooda_2")
            try await eventually("the attempt to be abandoned") {
                try await fixture.value("select outcome from payment.attempt where reference = 'imp_2'") == "abandoned"
            }
            let found = try await fixture.reconcile()
            #expect(found == ["payment_unclaimed 1", "attempt_abandoned 2"])
        }
    }

    @Test("The command prints the differences, and its exit status tells whether there are any")
    func command() async throws {
        try await PaymentFixture.use { fixture in
            fixture.provider.put(.init(reference: "imp_1", order: "ios_sooda_1"))
            _ = try await fixture.validate("imp_1", "ios_sooda_1")
            let clean = try await fixture.command("reconcile")
            #expect(clean.status == 0)
            #expect(clean.output.contains(#""differences":[]"#))
            fixture.provider.change("imp_1") { $0.amount = 5 }
            let found = try await fixture.command("reconcile")
            #expect(found.status == 1)
            #expect(found.output.contains(#""kind":"payment_amount","subject":"1","ours":"100","theirs":"5""#))
            let unknown = try await fixture.command("reconsider")
            #expect(unknown.status == 2)
        }
    }

    @Test("One of the instances runs it when it is due")
    func schedule() async throws {
        try await PaymentFixture.use(instances: 2) { fixture in
            try await firstRun(in: fixture)
            fixture.provider.put(.init(reference: "imp_1", order: "ios_sooda_1"))
            _ = try await fixture.validate("imp_1", "ios_sooda_1")
            fixture.provider.change("imp_1") { $0.status = "cancelled" }
            try await fixture.database.run(sql: "update payment.schedule set due_at = 0")
            try await eventually("the refund") { try await fixture.balance(7) == 100 }
        }
    }
}

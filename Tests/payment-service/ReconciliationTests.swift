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

    @Test("A difference planted in the ledger or in a stored payment is found, listed and resolved")
    func plantedInDatabase() async throws {
        try await PaymentFixture.use { fixture in
            try await fixture.firstReconciliation()
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
            try await fixture.firstReconciliation()
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
            try await fixture.firstReconciliation()
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

    @Test(
        "A payment that cannot be settled keeps neither the other payments nor the ledger from being compared",
        arguments: ["update of refunded", "update"])
    func badPayment(refused event: String) async throws {
        try await PaymentFixture.use { fixture in
            try await fixture.firstReconciliation()
            for number in 1...2 {
                fixture.provider.put(.init(reference: "imp_\(number)", order: "ios_sooda_\(number)"))
                _ = try await fixture.validate("imp_\(number)", "ios_sooda_\(number)")
            }
            _ = try await fixture.reserve("k", user: 7, amount: 5)
            let clean = try await fixture.reconcile()
            #expect(clean.isEmpty)
            // The first payment can be marked as checked, or not even that.
            try await fixture.database.run(
                sql: """
                    create function payment.refuse_payment() returns trigger language plpgsql as
                        $$ begin raise exception 'planted'; end $$;
                    create trigger planted before \(event) on payment.payment for each row
                        when (old.reference = 'imp_1') execute function payment.refuse_payment()
                    """)
            let checked = "select checked_at from payment.payment where reference = 'imp_1'"
            let before = try await fixture.value(checked)
            fixture.provider.change("imp_2") { $0.status = "cancelled" }
            try await plant("update payment.reserve set amount = 6", in: fixture)
            let failed = try await fixture.ask("POST", "/internal/reconciliation")
            #expect(failed.status >= 500, "\(failed.text)")
            let refunded = try await fixture.value("select refunded from payment.payment where reference = 'imp_2'")
            #expect(refunded == "10")
            let listed = try await fixture.ask("GET", "/internal/differences").text
            #expect(listed.contains("payment_cancelled") && listed.contains("reserved_sum"), "\(listed)")
            let after = try await fixture.value(checked)
            #expect((after == before) == (event == "update"))
            try await fixture.database.run(sql: "drop trigger planted on payment.payment")
            try await plant("update payment.reserve set amount = 5", in: fixture)
            let healed = try await fixture.reconcile()
            #expect(healed.isEmpty)
        }
    }

    @Test("The start of a run is by the clock of the database, as the times of differences are")
    func clock() async throws {
        let database = try await LedgerDatabase.make()
        // A clock that is an hour late. The search path finds it before that of Postgres.
        try await database.run(
            sql: """
                create function payment.clock_timestamp() returns timestamptz language sql as
                    $$ select pg_catalog.clock_timestamp() - interval '1 hour' $$
                """)
        let found = Difference(kind: .reservedSum, subject: "1", ours: "1", theirs: "2")
        let (start, unresolved) = try await Pools.use(database, schema: "payment,pg_catalog") { pool in
            let store = DifferenceStore(database: pool)
            let start = try await store.now()
            try await store.record(found)
            try await store.resolve([.reservedSum], notSeenSince: start)
            return (start, try await store.unresolved(limit: 10))
        }
        #expect(start < Timestamp.now - .seconds(3000))
        #expect(unresolved.map(\.difference) == [found])
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

    @Test("The command prints the differences, and its exit status shows whether there are any")
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

    @Test("One of the instances runs a reconciliation that is due")
    func schedule() async throws {
        try await PaymentFixture.use(instances: 2) { fixture in
            try await fixture.firstReconciliation()
            fixture.provider.put(.init(reference: "imp_1", order: "ios_sooda_1"))
            _ = try await fixture.validate("imp_1", "ios_sooda_1")
            fixture.provider.change("imp_1") { $0.status = "cancelled" }
            try await fixture.database.run(sql: "update payment.schedule set due_at = 0")
            try await eventually("the refund") { try await fixture.balance(7) == 100 }
        }
    }
}

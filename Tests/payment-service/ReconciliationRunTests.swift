import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import payment_service

@Suite("Runs of the reconciliation", .serialized)
struct ReconciliationRunTests {
    @Test(
        "A refund that its provider does not confirm is not called refused, and its coins are taken back once it is made"
    )
    func unconfirmedRefund() async throws {
        try await PaymentFixture.use { fixture in
            try await fixture.firstReconciliation()
            fixture.provider.put(.init(reference: "imp_1", order: "ios_sooda_1"))
            _ = try await fixture.validate("imp_1", "ios_sooda_1")
            let refused = try await fixture.refund(1)
            #expect(refused.status == 409)
            #expect(refused.text.contains("The payment provider refused the refund."))
            fixture.provider.behavior = .delayingRefunds
            let unconfirmed = try await fixture.refund(1)
            #expect(unconfirmed.status == 409)
            #expect(unconfirmed.text.contains("The payment provider did not confirm the refund."))
            let before = try await fixture.balance(7)
            #expect(before == 110)
            fixture.provider.change("imp_1") { $0.status = "cancelled" }
            _ = try await fixture.reconcile()
            let after = try await fixture.balance(7)
            #expect(after == 100)
        }
    }

    @Test("A webhook during a run does not keep its payment from being compared")
    func webhookMeanwhile() async throws {
        try await PaymentFixture.use(["database_connections": "4"]) { fixture in
            try await fixture.firstReconciliation()
            fixture.provider.put(.init(reference: "imp_1", order: "ios_sooda_1"))
            _ = try await fixture.validate("imp_1", "ios_sooda_1")
            fixture.provider.change("imp_1") { $0.amount = 5 }
            let known = try await fixture.reconcile()
            #expect(known == ["payment_amount 1"])
            // A page of payments that the run reads before the one with the difference.
            try await fixture.plantOpenPayments(100)
            let first = "select from payment.payment where reference = 'imp_open_1' for update"
            let found = try await fixture.database.holding(first, untilWaiting: 2) {
                async let run = fixture.reconcile()
                try await fixture.database.untilBlocked()
                let webhook = try await fixture.webhookV1("imp_1")
                #expect(webhook.status == 200)
                // The second session that waits ends the hold.
                try await fixture.database.run(sql: first)
                return try await run
            }
            #expect(found == ["payment_amount 1"])
        }
    }

    @Test("A provider that does not answer does not keep payments of the others from being compared")
    func silentProvider() async throws {
        try await PaymentFixture.use(["portone_v1_key": ""]) { fixture in
            try await fixture.firstReconciliation()
            fixture.provider.put(.init(reference: "pay-1", order: "ios_sooda_1"))
            _ = try await fixture.validate("pay-1", "ios_sooda_1")
            try await fixture.plantOpenPayments(200)
            fixture.provider.change("pay-1") { $0.status = "cancelled" }
            let found = try await fixture.reconcile()
            #expect(found == ["payment_cancelled 1"])
            let balance = try await fixture.balance(7)
            #expect(balance == 100)
            let asked = try await fixture.value("select count(*) from payment.payment where checked_at >= seen_at")
            #expect(asked == "6")
        }
    }

    @Test("An abandoned attempt is not a difference once its payment is credited")
    func creditedLater() async throws {
        try await PaymentFixture.use(["attempt_lifetime": "0s"]) { fixture in
            fixture.provider.put(.init(reference: "imp_1", order: "ios_sooda_1"))
            fixture.provider.behavior = .failing
            _ = try await fixture.validate("imp_1", "ios_sooda_1")
            try await eventually("the attempt to be abandoned") {
                try await fixture.value("select outcome from payment.attempt") == "abandoned"
            }
            let lost = try await fixture.reconcile()
            #expect(lost == ["attempt_abandoned 1"])
            fixture.provider.behavior = .well
            let credited = try await fixture.validate("imp_1", "ios_sooda_1")
            #expect(credited.status == 200)
            let resolved = try await fixture.reconcile()
            #expect(resolved.isEmpty)
        }
    }

    @Test(
        "An abandoned webhook of a credited payment is listed until the payment is compared, as it may tell of a cancellation"
    )
    func lostCancellation() async throws {
        try await PaymentFixture.use(["attempt_lifetime": "0s"]) { fixture in
            try await fixture.firstReconciliation()
            fixture.provider.put(.init(reference: "imp_1", order: "ios_sooda_1"))
            _ = try await fixture.validate("imp_1", "ios_sooda_1")
            // Too old to be compared.
            try await fixture.database.run(sql: "update payment.payment set seen_at = 1")
            fixture.provider.change("imp_1") { $0.status = "cancelled" }
            fixture.provider.behavior = .failing
            _ = try await fixture.webhookV1("imp_1", status: "cancelled")
            try await eventually("the attempt to be abandoned") {
                try await fixture.value("select outcome from payment.attempt where user_id is null") == "abandoned"
            }
            fixture.provider.behavior = .well
            let found = try await fixture.reconcile()
            #expect(found == ["attempt_abandoned 2"])
            try await fixture.database.run(
                sql: "update payment.payment set seen_at = (extract(epoch from now()) * 1000)::bigint")
            let compared = try await fixture.reconcile()
            #expect(compared == ["payment_cancelled 1"])
        }
    }

    @Test("An abandoned webhook of a credited payment stays listed while the provider gives no answer to compare with")
    func stillLost() async throws {
        try await PaymentFixture.use(["attempt_lifetime": "0s"]) { fixture in
            try await fixture.firstReconciliation()
            fixture.provider.put(.init(reference: "imp_1", order: "ios_sooda_1"))
            _ = try await fixture.validate("imp_1", "ios_sooda_1")
            fixture.provider.change("imp_1") { $0.status = "cancelled" }
            fixture.provider.behavior = .failing
            _ = try await fixture.webhookV1("imp_1", status: "cancelled")
            try await eventually("the attempt to be abandoned") {
                try await fixture.value("select outcome from payment.attempt where user_id is null") == "abandoned"
            }
            for _ in 1...2 {
                let found = try await fixture.reconcile()
                #expect(found == ["attempt_abandoned 2"])
            }
            fixture.provider.behavior = .well
            let compared = try await fixture.reconcile()
            #expect(compared == ["payment_cancelled 1"])
        }
    }

    @Test("A run deletes all attempts, orders and ids of webhooks that are older than a month")
    func cleaning() async throws {
        try await PaymentFixture.use { fixture in
            try await fixture.firstReconciliation()
            try await fixture.database.run(
                sql: """
                    insert into payment.attempt (reference, next_try_at, ended_at, outcome)
                    select number, 1, 1, 'unknown' from generate_series(1, 5001) as number;
                    insert into payment.purchase_order (number, user_id, item, made_at)
                    select number, 7, '10 Coin', 1 from generate_series(1, 5001) as number;
                    insert into payment.webhook (provider, id, received_at)
                    select 'portone-v2', number, 1 from generate_series(1, 5001) as number
                    """)
            _ = try await fixture.reconcile()
            for table in ["attempt", "purchase_order", "webhook"] {
                let left = try await fixture.value("select count(*) from payment.\(table)")
                #expect(left == "0", "\(table)")
            }
        }
    }
}

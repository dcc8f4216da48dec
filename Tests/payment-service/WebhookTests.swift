import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import payment_service

@Suite("Webhooks", .serialized)
struct WebhookTests {
    static let order = "ios_sooda_1700000000"

    @Test("A PortOne V2 webhook needs a signature over the raw body, with a time that differs by at most 300 s")
    func signatures() async throws {
        try await PaymentFixture.use { fixture in
            fixture.provider.put(.init(reference: "pay-1", order: Self.order))
            let body = #"{"type":"Transaction.Paid","data":{"paymentId":"pay-1"}}"#
            func send(_ headers: [String: String], _ body: String) async throws -> Int {
                try await HTTPCall.post(
                    port: fixture.anyInstance.publicPort, "/v1/webhooks/portone/v2", json: body,
                    headers: headers.map { ($0.key, $0.value) }
                ).status
            }
            let secret = StandardWebhooksTests.secret
            let valid = Signing.headers(id: "w", body: body, secret: secret)
            let refused = [
                try await send([:], body),
                try await send(valid, body + " "),
                try await send(Signing.headers(id: "w", body: body, secret: "whsec_AAAA"), body),
                try await send(Signing.headers(id: "w", body: body, secret: secret, at: .now - .seconds(302)), body),
                try await send(Signing.headers(id: "w", body: body, secret: secret, at: .now + .seconds(330)), body),
            ]
            #expect(refused == [400, 400, 400, 400, 400])
            #expect(fixture.provider.lookups == 0)
            let accepted = [
                try await send(valid, body),
                try await send(Signing.headers(id: "x", body: body, secret: secret, at: .now - .seconds(270)), body),
            ]
            #expect(accepted == [200, 200])
            #expect(try await fixture.value("select count(*) from payment.attempt") == "2")
            // A lookup that fails on a busy machine is repeated.
            try await eventually("two lookups") { fixture.provider.lookups >= 2 }
        }
    }

    @Test("A repeated webhook id is answered 200 without a lookup")
    func deduplication() async throws {
        try await PaymentFixture.use(instances: 2) { fixture in
            fixture.provider.put(.init(reference: "pay-1", order: Self.order))
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<16 { group.addTask { try await fixture.webhookV2("pay-1", id: "same").status } }
                return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
            }
            #expect(statuses == [200])
            #expect(try await fixture.value("select count(*) from payment.attempt") == "1")
            try await eventually("the lookup") { fixture.provider.lookups > 0 }
        }
    }

    @Test("Webhooks of unknown types or payments are answered 200")
    func unknown() async throws {
        try await PaymentFixture.use { fixture in
            let statuses = [
                try await fixture.webhookV2("pay-1", id: "a", type: "BillingKey.Issued").status,
                try await fixture.webhookV2("pay-1", id: "b", type: "Transaction.Teleported").status,
                try await fixture.webhookV2("unknown", id: "c").status,
                try await fixture.webhookV1("imp_unknown").status,
            ]
            #expect(statuses == [200, 200, 200, 200])
            let payments = try await fixture.value("select count(*) from payment.payment")
            #expect(payments == "0")
        }
    }

    @Test("A V1 webhook only causes a lookup: the provider's report counts")
    func hint() async throws {
        try await PaymentFixture.use { fixture in
            fixture.provider.put(.init(reference: "imp_1", order: Self.order, status: "ready"))
            _ = try await fixture.webhookV1("imp_1", status: "paid")
            let status = try await fixture.value("select status, owner is null from payment.payment")
            #expect(status == "open|t")
            let form = try await HTTPCall(
                "POST", port: fixture.anyInstance.publicPort, "/v1/webhooks/portone/v1",
                headers: [("Content-Type", "application/x-www-form-urlencoded")],
                body: Array("imp_uid=imp_1&status=cancelled".utf8)
            ).reply()
            #expect(form.status == 200)
            let later = try await fixture.value("select status from payment.payment")
            #expect(later == "open")
            let empty = try await HTTPCall.post(
                port: fixture.anyInstance.publicPort, "/v1/webhooks/portone/v1", json: "{}")
            #expect(empty.status == 400)
        }
    }

    @Test("A payment known only by its webhook stays unclaimed until a buyer validates it")
    func unclaimed() async throws {
        try await PaymentFixture.use { fixture in
            fixture.provider.put(.init(reference: "imp_1", order: Self.order))
            fixture.provider.put(.init(reference: "pay-1", order: Self.order))
            _ = try await fixture.webhookV1("imp_1")
            _ = try await fixture.webhookV2("pay-1", id: "w")
            let waiting = try await fixture.value(
                "select count(*) from payment.payment where owner is null and status = 'paid'")
            #expect(waiting == "2")
            for reference in ["imp_1", "pay-1"] {
                let reply = try await fixture.validate(reference, Self.order)
                #expect(reply.status == 200)
            }
            let balance = try await fixture.balance(7)
            #expect(balance == 120)
        }
    }

    @Test("A webhook during an outage is accepted, and a later one finishes the client's attempt")
    func outage() async throws {
        try await PaymentFixture.use { fixture in
            fixture.provider.put(.init(reference: "imp_1", order: Self.order))
            fixture.provider.behavior = .failing
            let first = try await fixture.validate("imp_1", Self.order)
            let hint = try await fixture.webhookV1("imp_1")
            #expect([first.status, hint.status] == [500, 200])
            fixture.provider.behavior = .well
            _ = try await fixture.webhookV1("imp_1")
            let balance = try await fixture.balance(7)
            #expect(balance == 110)
        }
    }
}

import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import payment_service

@Suite("Webhooks", .serialized)
struct WebhookTests {
    static let order = "ios_sooda_1700000000"

    @Test("PortOne V2 webhooks need a signature over the raw body, at most 300 s old or new")
    func signatures() async throws {
        try await PaymentHouse.use { house in
            house.world.put(.init(reference: "pay-1", order: Self.order))
            let body = #"{"type":"Transaction.Paid","data":{"paymentId":"pay-1"}}"#
            func send(_ headers: [String: String], _ body: String) async throws -> Int {
                try await HTTPCall.post(
                    port: house.someone.publicPort, "/v1/webhooks/portone/v2", json: body,
                    headers: headers.map { ($0.key, $0.value) }
                ).status
            }
            let secret = StandardWebhooksTests.secret
            let right = Signing.headers(id: "w", body: body, secret: secret)
            let refused = [
                try await send([:], body),
                try await send(right, body + " "),
                try await send(Signing.headers(id: "w", body: body, secret: "whsec_AAAA"), body),
                try await send(Signing.headers(id: "w", body: body, secret: secret, at: .now - .seconds(302)), body),
                try await send(Signing.headers(id: "w", body: body, secret: secret, at: .now + .seconds(330)), body),
            ]
            #expect(refused == [400, 400, 400, 400, 400])
            #expect(house.world.asked == 0)
            let accepted = [
                try await send(right, body),
                try await send(Signing.headers(id: "x", body: body, secret: secret, at: .now - .seconds(270)), body),
            ]
            #expect(accepted == [200, 200])
            #expect(house.world.asked == 2)
        }
    }

    @Test("A webhook delivered again by the same id is answered 200 and asks nobody")
    func deduplication() async throws {
        try await PaymentHouse.use(instances: 2) { house in
            house.world.put(.init(reference: "pay-1", order: Self.order))
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<16 { group.addTask { try await house.newWebhook("pay-1", id: "same").status } }
                return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
            }
            #expect(statuses == [200])
            #expect(house.world.asked == 1)
        }
    }

    @Test("Unknown types, and payments that the provider does not know, are answered 200")
    func unknown() async throws {
        try await PaymentHouse.use { house in
            let statuses = [
                try await house.newWebhook("pay-1", id: "a", type: "BillingKey.Issued").status,
                try await house.newWebhook("pay-1", id: "b", type: "Transaction.Teleported").status,
                try await house.newWebhook("nobody-knows", id: "c").status,
                try await house.oldWebhook("imp_nobody-knows").status,
            ]
            #expect(statuses == [200, 200, 200, 200])
            let payments = try await house.value("select count(*) from payment.payment")
            #expect(payments == "0")
        }
    }

    @Test("A V1 webhook is only a hint: whatever it says, the provider's word counts")
    func hint() async throws {
        try await PaymentHouse.use { house in
            house.world.put(.init(reference: "imp_1", order: Self.order, status: "ready"))
            _ = try await house.oldWebhook("imp_1", status: "paid")
            let status = try await house.value("select status, owner is null from payment.payment")
            #expect(status == "open|t")
            let form = try await HTTPCall(
                "POST", port: house.someone.publicPort, "/v1/webhooks/portone/v1",
                headers: [("Content-Type", "application/x-www-form-urlencoded")],
                body: Array("imp_uid=imp_1&status=cancelled".utf8)
            ).reply()
            #expect(form.status == 200)
            let later = try await house.value("select status from payment.payment")
            #expect(later == "open")
            let empty = try await HTTPCall.post(port: house.someone.publicPort, "/v1/webhooks/portone/v1", json: "{}")
            #expect(empty.status == 400)
        }
    }

    @Test("A payment known by webhook only waits unclaimed until somebody validates it")
    func unclaimed() async throws {
        try await PaymentHouse.use { house in
            house.world.put(.init(reference: "imp_1", order: Self.order))
            house.world.put(.init(reference: "pay-1", order: Self.order))
            _ = try await house.oldWebhook("imp_1")
            _ = try await house.newWebhook("pay-1", id: "w")
            let waiting = try await house.value(
                "select count(*) from payment.payment where owner is null and status = 'paid'")
            #expect(waiting == "2")
            for reference in ["imp_1", "pay-1"] {
                let reply = try await house.validate(reference, Self.order)
                #expect(reply.status == 200)
            }
            let balance = try await house.balance(7)
            #expect(balance == 120)
        }
    }

    @Test("A webhook that comes while the provider is down is asked about later, and finishes what a client began")
    func outage() async throws {
        try await PaymentHouse.use { house in
            house.world.put(.init(reference: "imp_1", order: Self.order))
            house.world.mood = .failing
            let first = try await house.validate("imp_1", Self.order)
            let hint = try await house.oldWebhook("imp_1")
            #expect([first.status, hint.status] == [500, 200])
            house.world.mood = .well
            _ = try await house.oldWebhook("imp_1")
            let balance = try await house.balance(7)
            #expect(balance == 110)
        }
    }
}

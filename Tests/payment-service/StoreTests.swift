import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import payment_service

@Suite("The store", .serialized)
struct StoreTests {
    static let order = "ios_sooda_1700000000"

    @Test("The list of items matches the contract in both generations")
    func items() async throws {
        try await PaymentFixture.use { fixture in
            for key in ["sooda", "gathering", "native"] {
                let reply = try await fixture.call("GET", "/v1/store/item/list", key: key)
                #expect(reply.status == 200)
                #expect(
                    reply.text
                        == #"[{"item":"10 Coin","amount":"100"},{"item":"50 Coin","amount":"500"},{"item":"100 Coin","amount":"1000"}]"#
                )
            }
        }
    }

    @Test("A validated payment is credited, and its bill has the format of each generation")
    func bills() async throws {
        try await PaymentFixture.use { fixture in
            try await fixture.firstReconciliation()
            fixture.provider.put(.init(reference: "imp_1", order: Self.order))
            let first = try await fixture.validate("imp_1", Self.order)
            #expect(first.status == 200)
            let bill = try JSONValue(parsing: first.body)
            #expect(bill["billing_id"]?.int == 1)
            #expect(bill["merchant_uid"]?.string == Self.order)
            #expect(bill["amount"]?.int == 100)
            #expect(bill["sesacCoin"]?.int == 10)
            #expect(bill["success"]?.bool == true)
            #expect(bill["createdAt"]?.string.flatMap { Timestamp($0) } != nil)

            fixture.provider.put(.init(reference: "imp_2", order: "ios_gathering_5", item: "50 Coin", amount: 500))
            let second = try await fixture.validate("imp_2", "ios_gathering_5", key: "gathering")
            #expect(
                second.text
                    == #"{"billing_id":"2","merchant_uid":"ios_gathering_5","buyer_id":"7","productName":"50 Coin","price":500,"sesacCoin":50,"paidAt":"2023-11-14T22:13:20.000Z"}"#
            )
            #expect(try await fixture.balance(7) == 160)
        }
    }

    @Test("A repeated validation gets the same reply; another user or order gets E82")
    func ownership() async throws {
        try await PaymentFixture.use { fixture in
            try await fixture.firstReconciliation()
            fixture.provider.put(.init(reference: "imp_1", order: Self.order))
            let first = try await fixture.validate("imp_1", Self.order)
            let lookups = fixture.provider.lookups
            fixture.provider.behavior = .failing
            let again = try await fixture.validate("imp_1", Self.order)
            #expect(again.status == 200)
            #expect(again.text == first.text)
            for reply in [
                try await fixture.validate("imp_1", Self.order, user: 8),
                try await fixture.validate("imp_1", "ios_sooda_1700000001"),
            ] {
                #expect(reply.status == 400)
                #expect(reply.errorCode == "E82")
            }
            #expect(fixture.provider.lookups == lookups)
            #expect(try await fixture.balance(7) == 110)
            #expect(try await fixture.balance(8) == 100)
        }
    }

    @Test("Status, amount, currency and order are checked at the provider against our price")
    func prices() async throws {
        try await PaymentFixture.use { fixture in
            let cases: [(change: (inout ProviderStub.Payment) -> Void, code: String)] = [
                ({ $0.amount = 1 }, "E82"), ({ $0.amount = 1000 }, "E82"), ({ $0.currency = "USD" }, "E82"),
                ({ $0.item = "1000 Coin" }, "E82"), ({ $0.order = "ios_sooda_5" }, "E82"),
                ({ $0.status = "ready" }, "E82"), ({ $0.status = "failed" }, "E82"),
                ({ $0.status = "cancelled" }, "E81"), ({ $0.cancelled = 50 }, "E82"),
            ]
            for (number, one) in cases.enumerated() {
                for generation in ["imp", "pay"] {
                    var payment = ProviderStub.Payment(reference: "\(generation)_\(number)", order: Self.order)
                    one.change(&payment)
                    fixture.provider.put(payment)
                    let reply = try await fixture.validate(payment.reference, Self.order)
                    #expect(reply.errorCode == one.code, "\(payment)")
                    #expect(reply.status == 400)
                }
            }
            let wrongKey = "ios_gathering_1700000000"
            fixture.provider.put(.init(reference: "imp_key", order: wrongKey))
            #expect(try await fixture.validate("imp_key", wrongKey, key: "sooda").errorCode == "E82")
            #expect(try await fixture.validate("imp_unknown", Self.order).errorCode == "E81")
            // PortOne is not asked about an id that no payment has: its errors would be retried for days.
            fixture.provider.behavior = .failing
            #expect(try await fixture.validate("imp_한", Self.order).errorCode == "E81")
            fixture.provider.behavior = .well
            #expect(try await fixture.balance(7) == 100)
        }
    }

    @Test("A PortOne V2 payment is credited only to the user that the server made its order for")
    func orders() async throws {
        try await PaymentFixture.use { fixture in
            let reply = try await fixture.call("POST", "/v1/store/orders", json: #"{"item":"50 Coin"}"#)
            #expect(reply.status == 200)
            let order = try #require(try JSONValue(parsing: reply.body)["merchant_uid"]?.string)
            #expect(order.hasPrefix("maru_sooda_"))
            #expect(reply.text.contains(#""item":"50 Coin","amount":"500""#))
            fixture.provider.put(.init(reference: order, order: order, item: "50 Coin", amount: 500))
            fixture.provider.put(.init(reference: Self.order, order: Self.order))
            let (guessed, other, owner) = (
                try await fixture.validateWithoutOrder(Self.order, Self.order, user: 8),
                try await fixture.validateWithoutOrder(order, order, user: 8),
                try await fixture.validateWithoutOrder(order, order)
            )
            #expect([guessed.errorCode, other.errorCode, owner.errorCode] == ["E81", "E82", ""])
            #expect(try await fixture.balance(7) == 150)
            let unknown = try await fixture.call("POST", "/v1/store/orders", json: #"{"item":"1 Coin"}"#)
            #expect(unknown.errorCode == "E11")
        }
    }

    @Test("A user may make a limited number of orders a day")
    func manyOrders() async throws {
        try await PaymentFixture.use(["orders_per_day": "3"]) { fixture in
            var codes: [String] = []
            for _ in 1...4 {
                codes.append(
                    try await fixture.call("POST", "/v1/store/orders", json: #"{"item":"10 Coin"}"#).errorCode)
            }
            #expect(codes == ["", "", "", "E98"])
        }
    }

    @Test("A user that guesses PortOne V1 payments gets E98, and other users are still served")
    func guesses() async throws {
        try await PaymentFixture.use(["unknown_payments_per_hour": "5"]) { fixture in
            var codes: [String] = []
            for number in 1...7 { codes.append(try await fixture.validate("imp_\(number)", Self.order).errorCode) }
            #expect(codes == ["E81", "E81", "E81", "E81", "E81", "E98", "E98"])
            #expect(try await fixture.validate("imp_9", Self.order, user: 8).errorCode == "E81")
        }
    }

    @Test("Empty, missing, oversized and wrongly typed fields are E11, and nothing is written")
    func badInput() async throws {
        try await PaymentFixture.use { fixture in
            let long = String(repeating: "x", count: 200)
            for json in [
                "", "{}", "[]", "{", #"{"imp_uid":"","merchant_uid":"\#(Self.order)"}"#, #"{"imp_uid":"imp_1"}"#,
                #"{"imp_uid":"imp_1","merchant_uid":""}"#, #"{"imp_uid":null,"merchant_uid":"\#(Self.order)"}"#,
                #"{"imp_uid":5,"merchant_uid":"\#(Self.order)"}"#,
                #"{"imp_uid":"a\u0000b","merchant_uid":"\#(Self.order)"}"#,
                #"{"imp_uid":"\ud800","merchant_uid":"\#(Self.order)"}"#,
                #"{"imp_uid":"\#(long)","merchant_uid":"\#(Self.order)"}"#,
            ] {
                let reply = try await fixture.call("POST", "/v1/store/pay/validation", json: json)
                #expect(reply.status == 400, "\(json)")
                #expect(reply.errorCode == "E11", "\(json)")
            }
            let count = try await fixture.database.run(sql: "select count(*) from payment.attempt")
            #expect(count == "0\n")
            #expect(fixture.provider.lookups == 0)
        }
    }

    @Test("A token that PortOne V1 refuses is replaced within the call")
    func tokenEnds() async throws {
        try await PaymentFixture.use { fixture in
            fixture.provider.put(.init(reference: "imp_1", order: Self.order))
            fixture.provider.put(.init(reference: "imp_2", order: Self.order + "1"))
            let before = try await fixture.validate("imp_1", Self.order)
            fixture.provider.replaceToken()
            let after = try await fixture.validate("imp_2", Self.order + "1")
            #expect([before.status, after.status] == [200, 200])
        }
    }

    @Test("A provider that is down is E99 and only the attempt is stored, which is finished when it is back")
    func outage() async throws {
        try await PaymentFixture.use { fixture in
            fixture.provider.put(.init(reference: "imp_1", order: Self.order))
            fixture.provider.behavior = .failing
            let reply = try await fixture.validate("imp_1", Self.order)
            #expect(reply.status == 500)
            #expect(reply.errorCode == "E99")
            #expect(
                try await fixture.call(
                    "POST", "/v1/store/pay/validation", key: "native",
                    json: #"{"imp_uid":"imp_1","merchant_uid":"ios_native_1"}"#
                ).status == 503)
            let rows = try await fixture.database.run(
                sql: "select count(*) from payment.payment; select count(*) from payment.attempt where ended_at is null"
            )
            #expect(rows == "0\n2\n")
            fixture.provider.behavior = .well
            try await eventually("the credit") { try await fixture.balance(7) == 110 }
            #expect(try await fixture.validate("imp_1", Self.order).status == 200)
            #expect(try await fixture.balance(7) == 110)
        }
    }

    @Test("A payment that cannot be stored does not keep the others from being credited")
    func badPayment() async throws {
        try await PaymentFixture.use { fixture in
            fixture.provider.put(.init(reference: "imp_1", order: "ios_sooda_1", item: "10 Coin\u{0}"))
            fixture.provider.put(.init(reference: "imp_2", order: Self.order))
            fixture.provider.behavior = .failing
            for (payment, order) in [("imp_1", "ios_sooda_1"), ("imp_2", Self.order)] {
                #expect(try await fixture.validate(payment, order).errorCode == "E99")
            }
            fixture.provider.behavior = .well
            // Both are due at once, the bad one first.
            _ = try await fixture.database.run(sql: "update payment.attempt set next_try_at = made_at")
            try await eventually("the credit") { try await fixture.balance(7) == 110 }
        }
    }

    @Test("The reply says if a provider is not set up")
    func notSetUp() async throws {
        let settings = ["portone_v1_key": "", "portone_v2_secret": ""]
        try await PaymentFixture.use(settings) { fixture in
            let reply = try await fixture.call(
                "POST", "/v1/store/pay/validation", key: "native",
                json: #"{"imp_uid":"imp_1","merchant_uid":"ios_native_1"}"#)
            #expect(reply.status == 503)
            #expect(reply.text.contains("portone-v1 is not set up"))
            #expect(try await fixture.webhookV1("imp_1").status == 500)
            #expect(try await fixture.webhookV2("p", id: "w").status == 500)
        }
    }
}

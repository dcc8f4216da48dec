import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import payment_service

@Suite("The store", .serialized)
struct StoreTests {
    static let order = "ios_sooda_1700000000"

    @Test("The list of items is as the contract has it, in both generations")
    func items() async throws {
        try await PaymentHouse.use { house in
            for key in ["sooda", "gathering", "native"] {
                let reply = try await house.call("GET", "/v1/store/item/list", key: key)
                #expect(reply.status == 200)
                #expect(
                    reply.text
                        == #"[{"item":"10 Coin","amount":"100"},{"item":"50 Coin","amount":"500"},{"item":"100 Coin","amount":"1000"}]"#
                )
            }
        }
    }

    @Test("A validated payment is credited, and its bill is written as each generation reads it")
    func bills() async throws {
        try await PaymentHouse.use { house in
            house.world.put(.init(reference: "imp_1", order: Self.order))
            let old = try await house.validate("imp_1", Self.order)
            #expect(old.status == 200)
            let bill = try JSONValue(parsing: old.body)
            #expect(bill["billing_id"]?.int == 1)
            #expect(bill["merchant_uid"]?.string == Self.order)
            #expect(bill["amount"]?.int == 100)
            #expect(bill["sesacCoin"]?.int == 10)
            #expect(bill["success"]?.bool == true)
            #expect(bill["createdAt"]?.string.flatMap { Timestamp($0) } != nil)

            house.world.put(.init(reference: "imp_2", order: "ios_gathering_5", item: "50 Coin", amount: 500))
            let new = try await house.validate("imp_2", "ios_gathering_5", key: "gathering")
            #expect(
                new.text
                    == #"{"billing_id":"2","merchant_uid":"ios_gathering_5","buyer_id":"7","productName":"50 Coin","price":500,"sesacCoin":50,"paidAt":"2023-11-14T22:13:20.000Z"}"#
            )
            #expect(try await house.balance(7) == 160)
        }
    }

    @Test("The same user and pair again gets the same 200; another user or pair E82")
    func ownership() async throws {
        try await PaymentHouse.use { house in
            house.world.put(.init(reference: "imp_1", order: Self.order))
            let first = try await house.validate("imp_1", Self.order)
            let asked = house.world.asked
            house.world.mood = .failing
            let again = try await house.validate("imp_1", Self.order)
            #expect(again.status == 200)
            #expect(again.text == first.text)
            for reply in [
                try await house.validate("imp_1", Self.order, user: 8),
                try await house.validate("imp_1", "ios_sooda_1700000001"),
            ] {
                #expect(reply.status == 400)
                #expect(reply.errorCode == "E82")
            }
            #expect(house.world.asked == asked)
            #expect(try await house.balance(7) == 110)
            #expect(try await house.balance(8) == 100)
        }
    }

    @Test("The price is ours; status, amount, currency and order are checked at the provider, whatever the client says")
    func prices() async throws {
        try await PaymentHouse.use { house in
            let cases: [(change: (inout StubWorld.Payment) -> Void, code: String)] = [
                ({ $0.amount = 1 }, "E82"), ({ $0.amount = 1000 }, "E82"), ({ $0.currency = "USD" }, "E82"),
                ({ $0.item = "1000 Coin" }, "E82"), ({ $0.order = "ios_sooda_5" }, "E82"),
                ({ $0.status = "ready" }, "E82"), ({ $0.status = "failed" }, "E82"),
                ({ $0.status = "cancelled" }, "E81"), ({ $0.cancelled = 50 }, "E82"),
            ]
            for (number, one) in cases.enumerated() {
                for generation in ["imp", "pay"] {
                    var payment = StubWorld.Payment(reference: "\(generation)_\(number)", order: Self.order)
                    one.change(&payment)
                    house.world.put(payment)
                    let reply = try await house.validate(payment.reference, Self.order)
                    #expect(reply.errorCode == one.code, "\(payment)")
                    #expect(reply.status == 400)
                }
            }
            let wrongKey = "ios_gathering_1700000000"
            house.world.put(.init(reference: "imp_key", order: wrongKey))
            #expect(try await house.validate("imp_key", wrongKey, key: "sooda").errorCode == "E82")
            #expect(try await house.validate("imp_unknown", Self.order).errorCode == "E81")
            #expect(try await house.balance(7) == 100)
        }
    }

    @Test("Empty, missing, ill-typed and oversized fields are E11, and nothing is written")
    func badInput() async throws {
        try await PaymentHouse.use { house in
            let long = String(repeating: "x", count: 200)
            for json in [
                "", "{}", "[]", "{", #"{"imp_uid":"","merchant_uid":"\#(Self.order)"}"#, #"{"imp_uid":"imp_1"}"#,
                #"{"imp_uid":"imp_1","merchant_uid":""}"#, #"{"imp_uid":null,"merchant_uid":"\#(Self.order)"}"#,
                #"{"imp_uid":5,"merchant_uid":"\#(Self.order)"}"#,
                #"{"imp_uid":"a\u0000b","merchant_uid":"\#(Self.order)"}"#,
                #"{"imp_uid":"\ud800","merchant_uid":"\#(Self.order)"}"#,
                #"{"imp_uid":"\#(long)","merchant_uid":"\#(Self.order)"}"#,
            ] {
                let reply = try await house.call("POST", "/v1/store/pay/validation", json: json)
                #expect(reply.status == 400, "\(json)")
                #expect(reply.errorCode == "E11", "\(json)")
            }
            let count = try await house.database.run(sql: "select count(*) from payment.attempt")
            #expect(count == "0\n")
            #expect(house.world.asked == 0)
        }
    }

    @Test("A token refused by PortOne V1 is replaced without anybody noticing")
    func tokenEnds() async throws {
        try await PaymentHouse.use { house in
            house.world.put(.init(reference: "imp_1", order: Self.order))
            house.world.put(.init(reference: "imp_2", order: Self.order + "1"))
            let before = try await house.validate("imp_1", Self.order)
            house.world.endToken()
            let after = try await house.validate("imp_2", Self.order + "1")
            #expect([before.status, after.status] == [200, 200])
        }
    }

    @Test("A provider that is down is E99 with nothing but the attempt, which is finished when it is back")
    func outage() async throws {
        try await PaymentHouse.use { house in
            house.world.put(.init(reference: "imp_1", order: Self.order))
            house.world.mood = .failing
            let reply = try await house.validate("imp_1", Self.order)
            #expect(reply.status == 500)
            #expect(reply.errorCode == "E99")
            #expect(
                try await house.call(
                    "POST", "/v1/store/pay/validation", key: "native",
                    json: #"{"imp_uid":"imp_1","merchant_uid":"ios_native_1"}"#
                ).status == 503)
            let rows = try await house.database.run(
                sql: "select count(*) from payment.payment; select count(*) from payment.attempt where ended_at is null"
            )
            #expect(rows == "0\n2\n")
            house.world.mood = .well
            try await eventually("the credit") { try await house.balance(7) == 110 }
            #expect(try await house.validate("imp_1", Self.order).status == 200)
            #expect(try await house.balance(7) == 110)
        }
    }

    @Test("A provider that is not set up is told clearly")
    func notSetUp() async throws {
        let settings = ["portone_v1_key": "", "portone_v2_secret": ""]
        try await PaymentHouse.use(settings) { house in
            let reply = try await house.call(
                "POST", "/v1/store/pay/validation", key: "native",
                json: #"{"imp_uid":"imp_1","merchant_uid":"ios_native_1"}"#)
            #expect(reply.status == 503)
            #expect(reply.text.contains("portone-v1 is not set up"))
            #expect(try await house.oldWebhook("imp_1").status == 500)
            #expect(try await house.newWebhook("p", id: "w").status == 500)
        }
    }
}

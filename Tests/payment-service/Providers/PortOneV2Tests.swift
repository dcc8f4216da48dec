import Crypto
import ServiceKit
import Testing
import Wire

@testable import payment_service

@Suite("PortOne V2")
struct PortOneV2Tests {
    let provider: PortOneV2

    static let settings = """
        portone_v2_url = http://portone
        portone_v2_secret = secret
        portone_v2_store = store-1
        portone_v2_webhook_secret = \(StandardWebhooksTests.secret)
        """

    init() throws {
        provider = try #require(try PortOneV2(Config(PortOneV2.settings, file: Self.settings)))
    }

    static let payment = """
        {"status":"PAID","id":"ios_sooda_1700000000","transactionId":"t","merchantId":"m","storeId":"store-1",
        "amount":{"total":100,"paid":100,"cancelled":0},"currency":"KRW","orderName":"10 Coin",
        "customer":{"name":"Hong Gildong"},"paidAt":"2023-11-14T22:13:20Z"}
        """

    func answer(_ status: Int, _ body: String, of other: PortOneV2? = nil) -> ProviderAnswer? {
        var inquiry = (other ?? provider).inquiry(about: "ios_sooda_1700000000")
        _ = inquiry.begin(at: .now)
        let step = inquiry.receive(ProviderReply(status: status, body: Array(body.utf8)), at: .now)
        if case .finish(let answer) = step { return answer }
        return nil
    }

    func report(_ body: String) -> PaymentReport? {
        if case .payment(let report) = answer(200, body) { return report }
        return nil
    }

    @Test("A lookup has the payment's id, our store and our secret")
    func request() {
        var inquiry = provider.inquiry(about: "a/b")
        #expect(
            inquiry.begin(at: .now)
                == .ask(
                    ProviderRequest(
                        url: "http://portone/payments/a%2Fb?storeId=store-1", authorization: "PortOne secret")))
    }

    @Test("A refund cancels the rest of the payment, and then looks it up")
    func refund() {
        var refund = provider.refund(of: "ios_sooda_1700000000", because: "asked")
        let base = "http://portone/payments/ios_sooda_1700000000"
        #expect(
            refund.begin(at: .now)
                == .ask(
                    ProviderRequest(
                        body: Array(#"{"reason":"asked","storeId":"store-1"}"#.utf8), url: base + "/cancel",
                        authorization: "PortOne secret")))
        #expect(
            refund.receive(ProviderReply(status: 200, body: Array("{}".utf8)), at: .now)
                == .ask(ProviderRequest(url: base + "?storeId=store-1", authorization: "PortOne secret")))
        let cancelled = Self.payment.replacing("PAID", with: "CANCELLED")
            .replacing(#""cancelled":0"#, with: #""cancelled":100"#)
        let end = refund.receive(ProviderReply(status: 200, body: Array(cancelled.utf8)), at: .now)
        guard case .finish(.payment(let report)) = end else {
            Issue.record("no payment")
            return
        }
        #expect(report.status == .cancelled && report.cancelledAmount == 100)
        var refused = provider.refund(of: "ios_sooda_1700000000", because: "asked")
        _ = refused.begin(at: .now)
        #expect(
            refused.receive(ProviderReply(status: 409, body: []), at: .now)
                == .finish(
                    .unusable(ProviderFault("PortOne V2 refused the refund (status 409)", isRefusal: true))))
        var lost = provider.refund(of: "ios_sooda_1700000000", because: "asked")
        _ = lost.begin(at: .now)
        #expect(
            lost.receive(ProviderReply(status: 504, body: []), at: .now)
                == .finish(.unusable(ProviderFault("PortOne V2 refused the refund (status 504)"))))
    }

    @Test("The payment id is the order number, unless customData has another")
    func order() {
        #expect(report(Self.payment)?.order.text == "ios_sooda_1700000000")
        let custom = #""customData":"{\"merchant_uid\":\"ios_sooda_5\"}","currency""#
        #expect(report(Self.payment.replacing(#""currency""#, with: custom))?.order.text == "ios_sooda_5")
        let other = report(Self.payment.replacing(#""currency""#, with: #""customData":"hello","currency""#))
        #expect(other?.order.text == "ios_sooda_1700000000")
    }

    @Test("Amounts and times are read")
    func amounts() {
        let report = report(
            Self.payment.replacing("PAID", with: "PARTIAL_CANCELLED").replacing(
                #""cancelled":0"#, with: #""cancelled":30"#))
        #expect(report?.amount == 100)
        #expect(report?.cancelledAmount == 30)
        #expect(report?.status == .paid)
        #expect(report?.paidAt == Timestamp(seconds: 1_700_000_000))
    }

    @Test(
        "All states are read, unknown ones as open",
        arguments: [("CANCELLED", "cancelled"), ("FAILED", "failed"), ("READY", "open"), ("SOMETHING_NEW", "open")])
    func states(theirs: String, ours: String) {
        #expect(report(Self.payment.replacing("PAID", with: theirs))?.status.rawValue == ours)
    }

    @Test("A payment that PortOne does not know, or of another store, is unknown; every other error is unusable")
    func unknown() {
        #expect(answer(404, #"{"type":"PAYMENT_NOT_FOUND"}"#) == .unknown)
        #expect(answer(200, Self.payment.replacing("store-1", with: "store-2")) == .unknown)
        #expect(answer(200, Self.payment.replacing(#""status""#, with: #""version":"V1","status""#)) == .unknown)
        for (status, body) in [
            (404, "<html>"), (401, #"{"type":"UNAUTHORIZED"}"#), (500, ""), (200, "{}"),
            (200, Self.payment.replacing("ios_sooda", with: "other")),
        ] {
            guard case .unusable = answer(status, body) else { return #expect(Bool(false), "\(status) \(body)") }
        }
    }

    @Test("A payment through a test channel is unknown, unless the setting accepts tests")
    func testChannel() throws {
        func through(_ type: String) -> String {
            Self.payment.replacing(#""currency""#, with: #""channel":{"type":"\#(type)"},"currency""#)
        }
        #expect(answer(200, through("TEST")) == .unknown)
        let live = report(Self.payment)
        #expect(live?.status == .paid)
        #expect(report(through("LIVE")) == live)
        let file = Self.settings + "\nportone_v2_accepts_tests = true"
        let trial = try #require(try PortOneV2(Config(PortOneV2.settings, file: file)))
        #expect(answer(200, through("TEST"), of: trial) == live.map(ProviderAnswer.payment))
    }

    func webhook(_ body: String, secret: String = StandardWebhooksTests.secret) -> Webhook {
        Signing.webhook(id: "w-1", body: body, secret: secret)
    }

    @Test("A signed webhook about a payment contains its id")
    func notice() throws {
        let body =
            #"{"type":"Transaction.Paid","timestamp":"2024-04-25T10:00:00.000Z","data":{"paymentId":"p","storeId":"s"}}"#
        #expect(try provider.notice(in: webhook(body)) == WebhookNotice(id: "w-1", reference: "p"))
        #expect(throws: Webhook.Refusal.wrongSignature) {
            try provider.notice(in: webhook(body, secret: "whsec_AAAA"))
        }
    }

    @Test("Webhooks of other or unknown types are accepted and ignored")
    func unknownTypes() throws {
        for type in ["BillingKey.Issued", "Transaction.Teleported", "Whatever"] {
            let notice = try provider.notice(in: webhook(#"{"type":"\#(type)","data":{"paymentId":"p"}}"#))
            #expect(notice == WebhookNotice(id: "w-1", reference: nil))
        }
    }

    @Test(
        "A signed body that is not a webhook is malformed",
        arguments: ["", "{}", "[]", #"{"type":"Transaction.Paid"}"#])
    func malformed(body: String) {
        #expect(throws: Webhook.Refusal.malformed) { try provider.notice(in: webhook(body)) }
    }

    @Test("The provider is off without a secret, and refuses webhooks without a webhook secret")
    func setUp() throws {
        #expect(try PortOneV2(Config(PortOneV2.settings)) == nil)
        let silent = try #require(try PortOneV2(Config(PortOneV2.settings, file: "portone_v2_secret = s")))
        #expect(throws: Webhook.Refusal.wrongSignature) { try silent.notice(in: webhook("{}")) }
        let wrong = "portone_v2_secret = s\nportone_v2_webhook_secret = no base64!"
        #expect(throws: ConfigError("portone_v2_webhook_secret must be Base64")) {
            try PortOneV2(Config(PortOneV2.settings, file: wrong))
        }
    }
}

import ServiceKit
import Testing
import Wire

@testable import payment_service

@Suite("PortOne V1")
struct PortOneV1Tests {
    let start = ContinuousClock.now
    let provider: PortOneV1

    init() throws {
        let settings = "portone_v1_url = http://portone\nportone_v1_key = key\nportone_v1_secret = secret"
        provider = try #require(try PortOneV1(Config(PortOneV1.settings, file: settings)))
    }

    static let payment = """
        {"code":0,"message":null,"response":{"imp_uid":"imp_1","merchant_uid":"ios_sooda_1700000000","amount":100,
        "cancel_amount":0,"currency":"KRW","status":"paid","name":"10 Coin","paid_at":1700000000,
        "buyer_name":"Hong Gildong","card_number":"4111-****"}}
        """

    func token(_ text: String, now: Int = 1000, end: Int = 2800) -> ProviderReply {
        reply(200, #"{"code":0,"response":{"access_token":"\#(text)","now":\#(now),"expired_at":\#(end)}}"#)
    }

    func reply(_ status: Int, _ body: String) -> ProviderReply { ProviderReply(status: status, body: Array(body.utf8)) }

    func paymentRequest(_ token: String) -> ProviderStep {
        .ask(ProviderRequest(url: "http://portone/payments/imp_1", authorization: "Bearer \(token)"))
    }

    var tokenRequest: ProviderStep {
        .ask(
            ProviderRequest(
                body: Array(#"{"imp_key":"key","imp_secret":"secret"}"#.utf8), url: "http://portone/users/getToken"))
    }

    @Test("The first lookup gets a token, and the next one uses it")
    func tokenIsKept() {
        var first = provider.inquiry(about: "imp_1")
        #expect(first.begin(at: start) == tokenRequest)
        #expect(first.receive(token("t1"), at: start) == paymentRequest("t1"))
        #expect(first.receive(reply(200, Self.payment), at: start) == .finish(.payment(Reports.paid)))
        var second = provider.inquiry(about: "imp_1")
        #expect(second.begin(at: start + .seconds(1700)) == paymentRequest("t1"))
    }

    @Test("A refund cancels the rest of the payment, and its reply is the payment afterwards")
    func refund() {
        var refund = provider.refund(of: "imp_1", because: "asked")
        #expect(refund.begin(at: start) == tokenRequest)
        let request = ProviderRequest(
            body: Array(#"{"imp_uid":"imp_1","reason":"asked"}"#.utf8), url: "http://portone/payments/cancel",
            authorization: "Bearer t1")
        #expect(refund.receive(token("t1"), at: start) == .ask(request))
        let cancelled = Self.payment.replacing(#""status":"paid""#, with: #""status":"cancelled""#)
            .replacing(#""cancel_amount":0"#, with: #""cancel_amount":100"#)
        guard case .finish(.payment(let report)) = refund.receive(reply(200, cancelled), at: start) else {
            Issue.record("no payment")
            return
        }
        #expect(report.status == .cancelled && report.cancelledAmount == 100)
        var refused = provider.refund(of: "imp_1", because: "asked")
        _ = refused.begin(at: start)
        guard case .finish(let answer) = refused.receive(reply(200, #"{"code":-1,"response":null}"#), at: start) else {
            Issue.record("no end")
            return
        }
        if case .payment = answer { Issue.record("a refused refund is no payment") }
    }

    @Test("A token's lifetime is counted by the provider's clock")
    func providerClock() {
        provider.store(PortOneV1Token(token("t1", now: 5_000_000, end: 5_000_100), at: start)!)
        #expect(provider.token(at: start + .seconds(60)) == "t1")
        #expect(provider.token(at: start + .seconds(70)) == nil)
    }

    @Test("A refused token is replaced only once")
    func renewal() {
        provider.store(PortOneV1Token(token("old"), at: start)!)
        var inquiry = provider.inquiry(about: "imp_1")
        #expect(inquiry.begin(at: start) == paymentRequest("old"))
        #expect(inquiry.receive(reply(401, #"{"code":-1}"#), at: start) == tokenRequest)
        #expect(inquiry.receive(token("new"), at: start) == paymentRequest("new"))
        let end = inquiry.receive(reply(401, #"{"code":-1}"#), at: start)
        guard case .finish(.unusable) = end else { return #expect(Bool(false), "\(end)") }
    }

    @Test("Dropping a refused token keeps the token that has replaced it")
    func replaced() {
        provider.store(PortOneV1Token(token("new"), at: start)!)
        provider.drop("old")
        #expect(provider.token(at: start) == "new")
    }

    @Test("A payment that PortOne does not know is unknown; an error page or wrong credentials are unusable")
    func unknown() {
        func answer(_ status: Int, _ body: String) -> ProviderStep {
            provider.store(PortOneV1Token(token("t"), at: start)!)
            var inquiry = provider.inquiry(about: "imp_1")
            _ = inquiry.begin(at: start)
            return inquiry.receive(reply(status, body), at: start)
        }
        #expect(answer(404, #"{"code":1,"message":"no such payment","response":null}"#) == .finish(.unknown))
        for (status, body) in [
            (404, "<html>"), (500, "{}"), (200, #"{"code":-1,"response":null}"#), (502, ""),
            (200, Self.payment.replacing("imp_1", with: "imp_2")), (200, Self.payment.replacing("100", with: "-100")),
            (200, Self.payment.replacing("100", with: #""100""#)),
        ] {
            guard case .finish(.unusable) = answer(status, body) else { return #expect(Bool(false), "\(body)") }
        }
    }

    @Test(
        "All states of a payment are read, unknown ones as open",
        arguments: [("cancelled", "cancelled"), ("ready", "open"), ("x", "open")])
    func states(theirs: String, ours: String) {
        provider.store(PortOneV1Token(token("t"), at: start)!)
        var inquiry = provider.inquiry(about: "imp_1")
        _ = inquiry.begin(at: start)
        let body = Self.payment.replacing(#""paid","name""#, with: #""\#(theirs)","name""#)
        guard case .finish(.payment(let report)) = inquiry.receive(reply(200, body), at: start) else {
            return #expect(Bool(false))
        }
        #expect(report.status.rawValue == ours)
    }

    @Test("A reference is encoded as one segment of the path")
    func encoding() {
        provider.store(PortOneV1Token(token("t"), at: start)!)
        var inquiry = provider.inquiry(about: "imp_/../users?x=1#한")
        #expect(
            inquiry.begin(at: start)
                == .ask(
                    ProviderRequest(
                        url: "http://portone/payments/imp_%2F..%2Fusers%3Fx%3D1%23%ED%95%9C", authorization: "Bearer t")
                ))
    }

    @Test("Only the payment's id is read from a webhook")
    func webhook() throws {
        let body = #"{"imp_uid":"imp_1","merchant_uid":"ios_sooda_1","status":"paid"}"#
        let webhook = Webhook(headers: [:], body: Array(body.utf8), receivedAt: .now)
        #expect(try provider.notice(in: webhook) == WebhookNotice(id: nil, reference: "imp_1"))
        #expect(throws: Webhook.Refusal.malformed) {
            try provider.notice(in: Webhook(headers: [:], body: Array("{}".utf8), receivedAt: .now))
        }
    }

    @Test(
        "A webhook is refused if no payment can have its id",
        arguments: ["", ".", "..", "status", "pay-1", "imp", "imp_1/2", "imp_..", "imp_1?a=b", "imp_ 1", "imp_한"])
    func otherReferences(_ reference: String) {
        let body = #"{"imp_uid":"\#(reference)"}"#
        #expect(throws: Webhook.Refusal.malformed) {
            try provider.notice(in: Webhook(headers: [:], body: Array(body.utf8), receivedAt: .now))
        }
        #expect(!PortOneV1.recognises(reference))
    }

    @Test("A webhook may be a form")
    func formWebhook() throws {
        let headers = ["content-type": "application/x-www-form-urlencoded; charset=utf-8"]
        let body = Array("imp_uid=imp%5F1&merchant_uid=ios_sooda_1&status=paid".utf8)
        let webhook = Webhook(headers: headers, body: body, receivedAt: .now)
        #expect(try provider.notice(in: webhook) == WebhookNotice(id: nil, reference: "imp_1"))
    }

    @Test("The provider is off without a key; a key without a secret is an error")
    func setUp() throws {
        #expect(try PortOneV1(Config(PortOneV1.settings)) == nil)
        #expect(throws: ConfigError("portone_v1_secret is required beside portone_v1_key")) {
            try PortOneV1(Config(PortOneV1.settings, file: "portone_v1_key = k"))
        }
    }
}

import Wire

/// A lookup or refund at PortOne V1, with the cached token or a new one. A refused token is replaced once. The reply to a
/// refund has the payment in the form of a lookup.
struct PortOneV1Inquiry: ProviderConversation {
    private enum State {
        case beginning
        case gettingToken
        case asking(token: String)
    }

    private let reference: String
    private let provider: PortOneV1
    /// Nil for a lookup.
    private let refundReason: String?
    private var state = State.beginning
    private var mayRenew = true

    init(reference: String, provider: PortOneV1, refundReason: String? = nil) {
        self.reference = reference
        self.provider = provider
        self.refundReason = refundReason
    }

    mutating func begin(at now: ContinuousClock.Instant) -> ProviderStep {
        if let token = provider.token(at: now) { return ask(with: token) }
        mayRenew = false
        return getToken()
    }

    mutating func receive(_ reply: ProviderReply, at now: ContinuousClock.Instant) -> ProviderStep {
        switch state {
        case .beginning:
            return begin(at: now)
        case .gettingToken:
            guard let token = PortOneV1Token(reply, at: now) else {
                return .finish(.unusable(ProviderFault("PortOne V1 returned no token (status \(reply.status))")))
            }
            provider.store(token)
            return ask(with: token.text)
        case .asking(let token) where reply.status == 401 && mayRenew:
            provider.drop(token)
            mayRenew = false
            return getToken()
        case .asking:
            return .finish(answer(in: reply))
        }
    }

    private mutating func getToken() -> ProviderStep {
        state = .gettingToken
        return .ask(provider.tokenRequest)
    }

    private mutating func ask(with token: String) -> ProviderStep {
        state = .asking(token: token)
        let authorization = "Bearer \(token)"
        guard let refundReason else {
            let path = "/payments/" + PercentEncoding.strict.encode(reference)
            return .ask(ProviderRequest(url: provider.base + path, authorization: authorization))
        }
        let body = JSONWriter.bytes { json in
            json.object { json in
                json.field("imp_uid", reference)
                json.field("reason", refundReason)
            }
        }
        return .ask(
            ProviderRequest(body: body, url: provider.base + "/payments/cancel", authorization: authorization))
    }

    private func answer(in reply: ProviderReply) -> ProviderAnswer {
        guard let json = try? JSONValue(parsing: reply.body), let code = json["code"]?.int else {
            return .unusable(ProviderFault("PortOne V1 answered in an unknown format (status \(reply.status))"))
        }
        let isKnown = json["response"].map { !$0.isNull } ?? false
        if code != 0, !isKnown, reply.status == 404 || (reply.status == 200 && code == 1) { return .unknown }
        guard reply.status == 200, code == 0, let report = json["response"].flatMap(PaymentReport.init(portOneV1:)),
            report.reference == reference
        else {
            return .unusable(
                ProviderFault(
                    "PortOne V1 returned no payment (status \(reply.status), code \(code))",
                    isRefusal: refundReason != nil && code != 0 && reply.status < 500))
        }
        return .payment(report)
    }
}

extension PaymentReport {
    /// Reads the `response` of `GET /payments/{imp_uid}`.
    fileprivate init?(portOneV1 json: JSONValue) {
        guard let reference = json["imp_uid"]?.string, let order = json["merchant_uid"]?.string,
            let amount = json["amount"]?.int, amount >= 0, let currency = json["currency"]?.string,
            let status = json["status"]?.string
        else { return nil }
        let paidAt = json["paid_at"]?.int ?? 0
        self.init(
            reference: reference, order: OrderNumber(text: order), item: json["name"]?.string ?? "", amount: amount,
            cancelledAmount: max(0, json["cancel_amount"]?.int ?? 0), currency: currency,
            status: Status(portOneV1: status), paidAt: paidAt > 0 ? Timestamp(seconds: Int64(paidAt)) : nil)
    }
}

extension PaymentReport.Status {
    fileprivate init(portOneV1 text: String) {
        self =
            switch text {
            case "paid": .paid
            case "cancelled": .cancelled
            case "failed": .failed
            default: .open
            }
    }
}

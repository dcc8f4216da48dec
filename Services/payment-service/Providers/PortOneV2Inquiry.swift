import Wire

/// A lookup at PortOne V2: one request and one reply.
struct PortOneV2Inquiry: ProviderConversation {
    let reference: String
    let store: String
    /// Whether a payment through a test channel counts.
    let acceptsTests: Bool
    let base: String
    let authorization: String

    mutating func begin(at now: ContinuousClock.Instant) -> ProviderStep {
        let query = store.isEmpty ? "" : "?storeId=" + PercentEncoding.strict.encode(store)
        return .ask(
            ProviderRequest(
                url: base + "/payments/" + PercentEncoding.strict.encode(reference) + query,
                authorization: authorization))
    }

    mutating func receive(_ reply: ProviderReply, at now: ContinuousClock.Instant) -> ProviderStep {
        let json = try? JSONValue(parsing: reply.body)
        if reply.status == 404, json?["type"]?.string == "PAYMENT_NOT_FOUND" { return .finish(.unknown) }
        guard reply.status == 200, let report = json.flatMap(PaymentReport.init(portOneV2:)),
            report.reference == reference
        else { return .finish(.unusable(ProviderFault("PortOne V2 returned no payment (status \(reply.status))"))) }
        let isOfStore = store.isEmpty || (json?["storeId"]?.string).map { $0 == store } ?? true
        // V2 also shows payments of V1 under another reference. They are left to V1, or they would count twice.
        let isOfV1 = json?["version"]?.string == "V1"
        // The client chooses the channel, and a test channel of our own store moves no money.
        let isAccepted = acceptsTests || json?["channel"]?["type"]?.string != "TEST"
        return .finish(isOfStore && !isOfV1 && isAccepted ? .payment(report) : .unknown)
    }
}

extension PaymentReport {
    /// Reads the reply to `GET /payments/{paymentId}`.
    ///
    /// The payment id is the order number, unless the app put another one into `customData`.
    fileprivate init?(portOneV2 json: JSONValue) {
        guard let reference = json["id"]?.string, let total = json["amount"]?["total"]?.int, total >= 0,
            let currency = json["currency"]?.string, let status = json["status"]?.string
        else { return nil }
        let custom = json["customData"]?.string.flatMap { try? JSONValue(parsing: $0) }
        self.init(
            reference: reference, order: OrderNumber(text: custom?["merchant_uid"]?.string ?? reference),
            item: json["orderName"]?.string ?? "", amount: total,
            cancelledAmount: max(0, json["amount"]?["cancelled"]?.int ?? 0), currency: currency,
            status: Status(portOneV2: status), paidAt: json["paidAt"]?.string.flatMap { Timestamp($0) })
    }
}

extension PaymentReport.Status {
    /// Values that the provider adds later count as `open`.
    fileprivate init(portOneV2 text: String) {
        self =
            switch text {
            case "PAID", "PARTIAL_CANCELLED": .paid
            case "CANCELLED": .cancelled
            case "FAILED": .failed
            default: .open
            }
    }
}

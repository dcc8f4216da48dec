import Wire

/// A payment at the provider:
/// `POST /portone/payments {imp_uid | paymentId, merchant_uid?, amount, name, channel?, …}`.
struct PortOnePayment: Sendable {
    enum Generation: Sendable { case first, second }

    let generation: Generation
    /// `imp_uid` of V1, `paymentId` of V2.
    let reference: String
    let order: String
    let amount: Int
    private(set) var cancelled: Int
    let name: String
    let currency: String
    /// The type of the channel of a payment of V2: `LIVE`, or `TEST` for one that moves no money.
    let channel: String
    /// A status of V1, in lower case.
    private(set) var status: String

    /// Refunds all that is left; false if it is not paid.
    mutating func cancel() -> Bool {
        guard status == "paid" || status == "partially_cancelled" else { return false }
        (status, cancelled) = ("cancelled", amount)
        return true
    }

    init?(_ json: JSONValue) {
        guard let amount = json["amount"]?.int, let name = json["name"]?.string else { return nil }
        if let reference = json["imp_uid"]?.string {
            generation = .first
            self.reference = reference
            guard let order = json["merchant_uid"]?.string else { return nil }
            self.order = order
        } else {
            guard let reference = json["paymentId"]?.string else { return nil }
            generation = .second
            self.reference = reference
            order = json["merchant_uid"]?.string ?? reference
        }
        self.amount = amount
        self.name = name
        cancelled = json["cancel_amount"]?.int ?? 0
        currency = json["currency"]?.string ?? "KRW"
        channel = json["channel"]?.string ?? "LIVE"
        status = (json["status"]?.string ?? "paid").lowercased()
    }

    func writeFirst(to json: inout JSONWriter) {
        let paidAt = status == "paid" ? Timestamp.now.seconds : 0
        json.field("imp_uid", reference)
        json.field("merchant_uid", order)
        json.field("pay_method", "card")
        json.field("channel", "mobile")
        json.field("pg_provider", "html5_inicis")
        json.field("pg_tid", "standin-\(reference)")
        json.field("pg_id", "INIpayTest")
        json.field("name", name)
        json.field("amount", amount)
        json.field("cancel_amount", cancelled)
        json.field("currency", currency)
        json.field("status", status)
        json.field("paid_at", paidAt)
        json.field("failed_at", 0)
        json.field("cancelled_at", 0)
        json.array("cancel_history") { _ in }
    }

    func writeSecond(to json: inout JSONWriter) {
        json.field("id", reference)
        json.field("transactionId", "standin-\(reference)")
        json.field("status", Self.newStatus[status] ?? status.uppercased())
        json.field("orderName", name)
        json.field("currency", currency)
        json.object("amount") { json in
            json.field("total", amount)
            json.field("paid", status == "paid" ? amount - cancelled : 0)
            json.field("cancelled", cancelled)
        }
        json.object("channel") { $0.field("type", channel) }
        if order != reference { json.field("customData", #"{"merchant_uid":"\#(order)"}"#) }
        json.field("paidAt", Timestamp.now.description)
    }

    private static let newStatus = ["partially_cancelled": "PARTIAL_CANCELLED"]
}

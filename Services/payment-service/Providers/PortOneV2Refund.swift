import Wire

/// A refund at PortOne V2: cancels the rest of the payment, and then looks the payment up.
struct PortOneV2Refund: ProviderConversation {
    var inquiry: PortOneV2Inquiry
    let reason: String
    private var isCancelled = false

    init(inquiry: PortOneV2Inquiry, reason: String) {
        self.inquiry = inquiry
        self.reason = reason
    }

    mutating func begin(at now: ContinuousClock.Instant) -> ProviderStep {
        let body = JSONWriter.bytes { json in
            json.object { json in
                json.field("reason", reason)
                if !inquiry.store.isEmpty { json.field("storeId", inquiry.store) }
            }
        }
        return .ask(
            ProviderRequest(
                body: body,
                url: inquiry.base + "/payments/" + PercentEncoding.strict.encode(inquiry.reference) + "/cancel",
                authorization: inquiry.authorization))
    }

    mutating func receive(_ reply: ProviderReply, at now: ContinuousClock.Instant) -> ProviderStep {
        if isCancelled { return inquiry.receive(reply, at: now) }
        guard reply.status == 200 else {
            return .finish(
                .unusable(
                    ProviderFault(
                        "PortOne V2 refused the refund (status \(reply.status))", isRefusal: reply.status < 500)))
        }
        isCancelled = true
        return inquiry.begin(at: now)
    }
}

import Contract
import Wire

/// An event on its way to a receiver, or at its end.
struct WebhookDeliveryView: View {
    let delivery: WebhookDelivery

    func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in
            json.field("delivery_id", delivery.id, for: profile)
            json.field("name", delivery.name)
            json.field("type", delivery.event.rawValue)
            if let key = delivery.message {
                json.field("room", key.room.description)
                json.field("seq", key.seq)
            }
            json.field("createdAt", delivery.createdAt)
            json.field("state", delivery.state.text)
            json.field("attempts", delivery.attempts)
            if let last = delivery.tried.last { json.field("triedAt", last) }
            if let status = delivery.outcome.status { json.field("status", status) }
            if let error = delivery.outcome.error { json.field("error", error) }
        }
    }
}

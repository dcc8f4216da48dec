import Contract
import Wire

/// An outgoing webhook as the managers of its workspace see it.
struct WebhookSubscriptionView: View {
    let subscription: WebhookSubscription
    /// Shown after the creation and each rotation.
    let secret: String?

    func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in
            json.field("subscription_id", subscription.id, for: profile)
            json.field("url", subscription.url)
            json.field("events", subscription.events.map(\.rawValue))
            json.field("channels", subscription.channels.map(\.description))
            json.field("createdBy", subscription.createdBy, for: profile)
            json.field("createdAt", subscription.createdAt)
            json.field("on", subscription.isOn)
            if case .off(let reason, let at) = subscription.state {
                if let reason { json.field("offReason", reason) }
                if let at { json.field("offAt", at) }
            }
            if let secret { json.field("secret", secret) }
        }
    }
}

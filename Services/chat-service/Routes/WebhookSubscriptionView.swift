import Contract
import HTTP
import Wire

/// An outgoing webhook as the managers of its workspace or operators see it.
struct WebhookSubscriptionView: View {
    enum Audience {
        /// The secret is shown after the creation and each rotation.
        case managers(secret: String?)
        /// The URL may hold a secret of the receiver, so operators see its host.
        case operators
    }

    let subscription: WebhookSubscription
    let audience: Audience

    func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { writeMembers(to: &$0, for: profile) }
    }

    func writeMembers(to json: inout JSONWriter, for profile: ClientProfile) {
        json.field("subscription_id", subscription.id, for: profile)
        switch audience {
        case .managers: json.field("url", subscription.url)
        case .operators:
            json.field("workspace_id", subscription.workspace, for: profile)
            json.field("receiver", OutsideURL(subscription.url)?.host ?? "")
        }
        json.field("events", subscription.events.map(\.rawValue))
        json.field("channels", subscription.channels.map(\.description))
        json.field("createdBy", subscription.createdBy, for: profile)
        json.field("createdAt", subscription.createdAt)
        json.field("on", subscription.isOn)
        if case .off(let reason, let at) = subscription.state {
            if let reason { json.field("offReason", reason) }
            if let at { json.field("offAt", at) }
        }
        if case .managers(let secret?) = audience { json.field("secret", secret) }
    }
}

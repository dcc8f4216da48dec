import Contract
import HTTP
import ServiceKit
import Telemetry
import Wire

/// Switches a subscription off that keeps failing, and tells so: in the audit log of the workspace, in the subscription, which its
/// managers see, and by a mail to its maker.
struct WebhookSwitch: Sendable {
    let store: WebhookSubscriptionStore
    let access: RoomAccess
    let auth: AuthClient
    let metrics: WebhookMetrics
    let log: Log

    func turnOff(_ subscription: WebhookSubscription, because reason: String) async throws {
        let now = Timestamp.now
        guard try await store.turnOff(subscription, because: reason, at: now) else { return }
        metrics.turnedOff.increment()
        log.warning("an outgoing webhook is switched off", ["workspace": .id(subscription.workspace)])
        try await access.workspaces.record(
            AuditEvent(.subscriptionTurnedOff, by: nil, subject: "subscription-\(subscription.id)"),
            of: subscription.workspace,
            key: "chat-\(AuditAction.subscriptionTurnedOff.rawValue)-\(subscription.id)-\(now.milliseconds)", at: now)
        // A former manager learns nothing more of the workspace.
        guard await access.isManager(subscription.createdBy, of: subscription.workspace) else { return }
        let host = OutsideURL(subscription.url)?.host ?? ""
        try await auth.notify(NoticeRequest(user: subscription.createdBy, kind: .webhookOff, detail: host))
    }
}

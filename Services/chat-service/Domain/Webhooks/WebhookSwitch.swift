import Contract
import HTTP
import ServiceKit
import Telemetry
import Wire

/// Switches a subscription off that keeps failing, and tells so: in the subscription, which its managers see, in the audit log of
/// the workspace, and by mails to the owner of the workspace and the maker of the subscription.
///
/// The switch and the order to tell are one statement, so that a crash delays the notices and loses none.
struct WebhookSwitch: Sendable {
    let store: WebhookSubscriptionStore
    let access: RoomAccess
    let auth: AuthClient
    let metrics: WebhookMetrics
    let log: Log

    func turnOff(_ subscription: WebhookSubscription, because reason: String) async throws {
        guard try await store.turnOff(subscription, because: reason, at: .now) else { return }
        metrics.turnedOff.increment()
        log.warning("an outgoing webhook is switched off", ["workspace": .id(subscription.workspace)])
    }

    /// Tells that a subscription was switched off at a moment; by mail unless somebody has changed that since. A repetition
    /// adds nothing to the audit log, and no second mail while the first one waits.
    func tell(_ subscription: WebhookSubscription, turnedOffAt moment: Timestamp) async throws {
        let name = "\(subscription.id)-\(moment.milliseconds)"
        try await access.workspaces.record(
            AuditEvent(.subscriptionTurnedOff, by: nil, subject: "subscription-\(subscription.id)"),
            of: subscription.workspace, key: "chat-\(AuditAction.subscriptionTurnedOff.rawValue)-\(name)", at: moment)
        guard case .off(_?, moment) = subscription.state else { return }
        let host = OutsideURL(subscription.url)?.host ?? ""
        for user in try await recipients(of: subscription) {
            try await auth.notify(
                NoticeRequest(user: user, kind: .webhookOff, detail: host, key: "webhook-off-\(name)-\(user)"))
        }
    }

    /// The owner of the workspace, and the maker as long as they manage it: a former manager learns nothing more of it.
    private func recipients(of subscription: WebhookSubscription) async throws -> [UserID] {
        let (workspace, maker) = (subscription.workspace, subscription.createdBy)
        let owner = try await access.workspaces.owner(of: workspace)
        let isManager = try await access.isManager(maker, of: workspace)
        return [owner, isManager && maker != owner ? maker : nil].compactMap { $0 }
    }
}

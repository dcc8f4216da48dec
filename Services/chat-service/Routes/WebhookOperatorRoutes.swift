import Contract
import HTTP
import ServiceKit
import Wire

/// Outgoing webhooks and their events for operators.
struct WebhookOperatorRoutes: Sendable {
    let subscriptions: WebhookSubscriptions

    private static let mostEvents = 50

    func register(in routes: inout OperatorRoutes) {
        let one = "/operator/webhooks/{subscription_id}"
        routes.look("webhooks.list", "/operator/workspaces/{id}/webhooks", list)
        routes.look("webhooks.show", one, show)
        routes.act("webhooks.replay", .post, one + "/deliveries/{delivery_id}/replay", replay)
    }

    func list(_ call: InternalCall) async throws -> Response {
        let found = try await subscriptions.store.list(of: try call.id("id"))
        return call.reply { json in
            json.object { json in
                json.field(
                    "webhooks", found.map { WebhookSubscriptionView(subscription: $0, audience: .operators) },
                    for: .ofNobody)
            }
        }
    }

    /// Replies with the subscription and its newest events.
    func show(_ call: InternalCall) async throws -> Response {
        let subscription = try await find(call)
        let events = try await subscriptions.deliveries.list(
            of: subscription, before: .max, try WebhookDelivery.State(query: try call.query("state")),
            limit: Self.mostEvents)
        return call.reply(capacity: 4096) { json in
            json.object { json in
                WebhookSubscriptionView(subscription: subscription, audience: .operators)
                    .writeMembers(to: &json, for: .ofNobody)
                json.field("deliveries", events.map(WebhookDeliveryView.init), for: .ofNobody)
            }
        }
    }

    func replay(_ call: InternalCall) async throws -> Response {
        let again = try await subscriptions.replay(try call.id("delivery_id"), of: try await find(call))
        return call.reply { $0.view(WebhookDeliveryView(delivery: again), for: .ofNobody) }
    }

    private func find(_ call: InternalCall) async throws -> WebhookSubscription {
        guard let found = try await subscriptions.store.find(try call.id("subscription_id")) else {
            throw Failure.notFound
        }
        return found
    }
}

import Contract
import HTTP
import ServiceKit
import Wire

/// The outgoing webhooks of a workspace, and the events that were sent through them.
struct WebhookSubscriptionRoutes: Sendable {
    let subscriptions: WebhookSubscriptions

    func register(in routes: inout PublicRoutes) {
        let path = "/v1/workspaces/{id}/webhooks"
        let one = path + "/{subscription_id}"
        routes.native(.post, path, create)
        routes.native(.get, path, list)
        routes.native(.put, one, change)
        routes.native(.post, one + "/secret", rotate)
        routes.native(.delete, one, delete)
        routes.native(.get, one + "/deliveries", deliveries)
        routes.native(.post, one + "/deliveries/{delivery_id}/replay", replay)
    }

    func create(_ call: Call, _ caller: Caller) async throws -> Response {
        let made = try await subscriptions.create(
            try await call.wish(), in: try call.id("id"), by: caller.user, from: call.origin(of: caller))
        return call.created(view(made, showsSecret: true))
    }

    func list(_ call: Call, _ caller: Caller) async throws -> Response {
        let found = try await subscriptions.list(in: try call.id("id"), for: caller.user)
        return call.reply { json in
            json.object { json in
                json.field("items", found.map { view($0, showsSecret: false) }, for: call.profile)
                // A workspace has few webhooks.
                json.field("next", String?.none)
            }
        }
    }

    func change(_ call: Call, _ caller: Caller) async throws -> Response {
        let changed = try await subscriptions.change(
            try call.id("subscription_id"), try await call.wish(), in: try call.id("id"), by: caller.user,
            from: call.origin(of: caller))
        return call.reply(view(changed, showsSecret: false))
    }

    func rotate(_ call: Call, _ caller: Caller) async throws -> Response {
        let rotated = try await subscriptions.rotate(
            try call.id("subscription_id"), in: try call.id("id"), by: caller.user, from: call.origin(of: caller))
        return call.reply(view(rotated, showsSecret: true))
    }

    func delete(_ call: Call, _ caller: Caller) async throws -> Response {
        try await subscriptions.delete(
            try call.id("subscription_id"), in: try call.id("id"), by: caller.user, from: call.origin(of: caller))
        return call.done()
    }

    func deliveries(_ call: Call, _ caller: Caller) async throws -> Response {
        let limit = try call.listLimit()
        let found = try await subscriptions.deliveries(
            of: try call.id("subscription_id"), in: try call.id("id"), for: caller.user,
            before: try call.numericCursor() ?? .max, try WebhookDelivery.State(query: try call.query("state")),
            limit: limit)
        return call.reply { json in
            json.object { json in
                json.field("items", found.map(WebhookDeliveryView.init), for: call.profile)
                json.field("next", found.count == limit ? found.last?.id.description : nil)
            }
        }
    }

    func replay(_ call: Call, _ caller: Caller) async throws -> Response {
        let again = try await subscriptions.replay(
            try call.id("delivery_id"), of: try call.id("subscription_id"), in: try call.id("id"), for: caller.user)
        return call.reply(WebhookDeliveryView(delivery: again))
    }

    private func view(_ subscription: WebhookSubscription, showsSecret: Bool) -> WebhookSubscriptionView {
        WebhookSubscriptionView(
            subscription: subscription,
            audience: .managers(
                secret: showsSecret ? subscriptions.signer.secret(of: subscription.seeds.current) : nil))
    }
}

extension Call {
    fileprivate func wish() async throws -> WebhookSubscriptions.Wish {
        let fields = try await fields()
        var wish = WebhookSubscriptions.Wish(
            url: try fields.optionalText("url"), isOn: try fields.optionalFlag("on"))
        if fields.contains("events") { wish.events = try fields.texts("events", atMost: 20) }
        if fields.contains("channels") {
            let ids = try fields.texts("channels", atMost: 1000).map(ChannelID.init)
            guard !ids.contains(nil) else { throw Failure.invalid("channels must be a list of ids.") }
            wish.channels = ids.compactMap { $0 }
        }
        return wish
    }

}

extension WebhookDelivery.State {
    /// The value of the parameter `state`; nil for all states.
    init?(query: String?) throws(Failure) {
        switch query {
        case nil, "": return nil
        case "waiting": self = .waiting
        case "delivered": self = .delivered
        case "failed": self = .failed
        default: throw .invalid("state must be waiting, delivered or failed.")
        }
    }
}

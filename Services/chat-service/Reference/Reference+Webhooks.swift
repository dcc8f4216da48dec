import Contract
import HTTP

extension Reference {
    static let webhooks = RouteGroup(
        "Webhooks", "Programs that write into channels, and servers that are told of events.", incoming + outgoing)

    private static let ofChannel = workspace + "/channels/{channel_id}/webhooks"
    private static let name = Schema.text(longest: 30)
    private static let managers = "For the channel's owner, and owners and admins of the workspace."
    private static let incoming = [
        RouteDescription(
            .native, .post, ofChannel, "Makes a webhook", note: "\(managers) The reply alone has its address.",
            body: .json([.has("name", name, "Of the author of its messages.")]),
            reply: .created(.entity(IncomingWebhookRoutes.entity)),
            errors: [.invalidRequest, .notFound, .notAllowed]),
        RouteDescription(
            .native, .get, ofChannel, "Lists the webhooks of a channel", note: managers,
            reply: .json(.page(of: .entity(IncomingWebhookRoutes.entity))), errors: [.notFound, .notAllowed]),
        RouteDescription(
            .native, .put, ofChannel + "/{webhook_id}", "Renames a webhook", note: managers,
            body: .json([.has("name", name)]), reply: .json(.entity(IncomingWebhookRoutes.entity)),
            errors: [.invalidRequest, .notFound, .notAllowed]),
        RouteDescription(
            .native, .post, ofChannel + "/{webhook_id}/secret", "Replaces the address of a webhook",
            note: "\(managers) The old address ends at once.", reply: .json(.entity(IncomingWebhookRoutes.entity)),
            errors: [.notFound, .notAllowed]),
        RouteDescription(
            .native, .delete, ofChannel + "/{webhook_id}", "Deletes a webhook",
            note: "\(managers) Its messages stay.", errors: [.notFound, .notAllowed]),
    ]

    private static let ofWorkspace = workspace + "/webhooks"
    private static let one = ofWorkspace + "/{subscription_id}"
    private static let moderators = "For owners and admins."
    private static let wish: [Schema.Member] = [
        .may("url", .text, "Where events are sent. It must be a public address."), .may("events", .list(event)),
        .may("channels", .list(.id, atMost: 1000), "Whose events are sent; empty for all."),
        .may("on", .flag),
    ]
    static let event = Schema.choice(WebhookEvent.allCases.map(\.rawValue))
    static let state = Schema.choice(["waiting", "delivered", "failed"])
    private static let outgoing = [
        RouteDescription(
            .native, .post, ofWorkspace, "Subscribes a server to events",
            note: "\(moderators) `url` and `events` are required. The reply has the secret of the signatures.",
            body: .json(wish), reply: .created(.entity(WebhookSubscriptionView.entity)),
            errors: [.invalidRequest, .notFound, .notAllowed]),
        RouteDescription(
            .native, .get, ofWorkspace, "Lists subscriptions", note: moderators,
            reply: .json(.page(of: .entity(WebhookSubscriptionView.entity))), errors: [.notFound, .notAllowed]),
        RouteDescription(
            .native, .put, one, "Changes a subscription", note: "\(moderators) What is absent stays.",
            body: .json(wish), reply: .json(.entity(WebhookSubscriptionView.entity)),
            errors: [.invalidRequest, .notFound, .notAllowed]),
        RouteDescription(
            .native, .post, one + "/secret", "Replaces the secret of a subscription",
            note: "\(moderators) For a while events are signed with both.",
            reply: .json(.entity(WebhookSubscriptionView.entity)), errors: [.notFound, .notAllowed]),
        RouteDescription(
            .native, .delete, one, "Deletes a subscription", note: moderators, errors: [.notFound, .notAllowed]),
        RouteDescription(
            .native, .get, one + "/deliveries", "Lists events of a subscription, the newest first", note: moderators,
            parameters: [.query("state", state, "All without it.")] + RouteDescription.Parameter.page,
            reply: .json(.page(of: .entity(WebhookDeliveryView.entity))),
            errors: [.invalidRequest, .notFound, .notAllowed]),
        RouteDescription(
            .native, .post, one + "/deliveries/{delivery_id}/replay", "Sends an event again", note: moderators,
            reply: .json(.entity(WebhookDeliveryView.entity)), errors: [.invalidRequest, .notFound, .notAllowed]),
    ]
}

extension IncomingWebhookRoutes {
    /// The form of the view.
    static let entity = Schema.Entity(
        "IncomingWebhook", "A secret address of a channel.",
        [
            .has("webhook_id", .id), .has("channel_id", .id), .has("name", .text), .has("user_id", .id),
            .has("createdBy", .id), .has("createdAt", .time), .may("rotatedAt", .time),
            .may("url", .text, "The secret address: whole, or what follows the base URL and `/v1`."),
        ])
}

extension WebhookSubscriptionView {
    /// The form of `write`.
    static let entity = Schema.Entity(
        "WebhookSubscription", "A server that is told of events.",
        [
            .has("subscription_id", .id), .has("url", .text), .has("events", .list(Reference.event)),
            .has("channels", .list(.id)), .has("createdBy", .id), .has("createdAt", .time), .has("on", .flag),
            .may("offReason", .text), .may("offAt", .time), .may("secret", .text, "Of the signatures."),
        ])
}

extension WebhookDeliveryView {
    /// The form of `write`.
    static let entity = Schema.Entity(
        "WebhookDelivery", "An event on its way to a server, or at its end.",
        [
            .has("delivery_id", .id), .has("name", .text, "The header `webhook-id`."), .has("type", Reference.event),
            .may("room", Reference.room), .may("seq", .seq), .has("createdAt", .time), .has("state", Reference.state),
            .has("attempts", .count), .may("triedAt", .time), .may("status", .integer()), .may("error", .text),
        ])
}

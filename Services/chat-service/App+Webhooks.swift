import Contract
import EventLoop
import HTTP
import Postgres
import ServiceKit

/// Incoming and outgoing webhooks.
struct Webhooks: Sendable {
    let facts: WebhookFacts
    let incoming: IncomingWebhookStore
    private let intake: WebhookIntake
    private let sender: WebhookSender
    private let queues: WebhookDeliveryStore
    private let subscriptionRoutes: WebhookSubscriptionRoutes
    private let incomingRoutes: IncomingWebhookRoutes

    init(
        _ service: ServiceBuilder, subscriptions: WebhookSubscriptionStore, intake intakeStore: WebhookIntakeStore,
        deliveries: WebhookDeliveryStore, incoming: IncomingWebhookStore, renderer: WebhookRenderer,
        access: RoomAccess, conversations: Conversations, watch: WebhookWatch
    ) throws {
        let limits = try WebhookLimits(service.config)
        let signer = WebhookLimits.signer(service.config, credential: service.credential)
        let metrics = WebhookMetrics(service.metrics)
        let sender = WebhookSender(
            store: deliveries, renderer: renderer,
            receivers: WebhookReceivers(
                http: service.ownHTTP(limits.client(timeout: limits.timeout)), signer: signer,
                timeout: limits.timeout),
            limits: limits,
            off: WebhookSwitch(
                store: subscriptions, access: access, auth: AuthClient(service.internalClient(service.peers.auth)),
                metrics: metrics, log: service.log),
            metrics: metrics, log: service.log)
        self.sender = sender
        self.incoming = incoming
        queues = deliveries
        let wake: @Sendable () -> Void = { sender.wake() }
        intake = WebhookIntake(
            store: intakeStore, subscriptions: subscriptions, watch: watch, log: service.log, wake: wake)
        facts = WebhookFacts(store: intakeStore, subscriptions: subscriptions, wake: wake)
        subscriptionRoutes = WebhookSubscriptionRoutes(
            subscriptions: WebhookSubscriptions(
                store: subscriptions, deliveries: deliveries, access: access, signer: signer, limits: limits,
                watch: watch, wake: wake))
        let ofChannels = IncomingWebhookLimits(service.config)
        incomingRoutes = IncomingWebhookRoutes(
            webhooks: IncomingWebhooks(
                store: incoming, access: access,
                auth: AuthClient(service.internalClient(service.peers.auth)), limits: ofChannels,
                moderation: conversations.moderation),
            inbox: WebhookInbox(store: incoming, conversations: conversations, limits: ofChannels),
            publicURL: try PublicURL(service.config))
    }

    /// Starts the background work, and shows the queue on the metrics page.
    func begin(in service: ServiceBuilder) {
        service.queue("webhooks", length: queues.length)
        service.background("webhook intake", intake.run)
        service.background("webhooks", sender.run)
        let loop = service.loops.loops[0]
        service.atDrain { [sender] in try await sender.stop(on: loop) }
        service.background("old events of webhooks", every: .seconds(60), sender.forget)
    }

    func register(in routes: inout OperatorRoutes) {
        WebhookOperatorRoutes(subscriptions: subscriptionRoutes.subscriptions).register(in: &routes)
    }

    func register(in routes: inout PublicRoutes) {
        subscriptionRoutes.register(in: &routes)
        incomingRoutes.register(in: &routes)
    }
}

import Contract
import HTTP
import ServiceKit
import Wire

/// Makes, lists, changes and ends outgoing webhooks, for owners and admins of a workspace.
///
/// The entry of the audit log comes first: no change is without one.
struct WebhookSubscriptions: Sendable {
    let store: WebhookSubscriptionStore
    let deliveries: WebhookDeliveryStore
    let access: RoomAccess
    let signer: WebhookSigner
    let limits: WebhookLimits
    let watch: WebhookWatch
    /// Wakes the sender.
    let wake: @Sendable () -> Void

    private static let mostChannels = 50

    /// The values of a subscription as a manager sends them. A missing one keeps its value.
    struct Wish: Sendable {
        var url: String?
        var events: [String]?
        var channels: [ChannelID]?
        var isOn: Bool?
    }

    /// The subscriptions in the order of their making.
    func list(in workspace: WorkspaceID, for user: UserID) async throws -> [WebhookSubscription] {
        try await access.requireManager(user, of: workspace)
        return try await store.list(of: workspace)
    }

    func find(
        _ id: WebhookSubscriptionID, in workspace: WorkspaceID, for user: UserID
    ) async throws -> WebhookSubscription {
        guard let found = try await list(in: workspace, for: user).first(where: { $0.id == id }) else {
            throw Failure.notFound
        }
        return found
    }

    func create(
        _ wish: Wish, in workspace: WorkspaceID, by user: UserID, from origin: AuditOrigin
    ) async throws -> WebhookSubscription {
        let others = try await list(in: workspace, for: user)
        guard let url = wish.url, let events = wish.events else {
            throw Failure.invalid("url and events are required.")
        }
        guard others.count < limits.ofWorkspace else { throw Self.tooMany }
        let version = try await access.version(of: workspace, for: user)
        let subscription = WebhookSubscription(
            id: try await store.nextID(), workspace: workspace, url: try limits.checkedURL(url),
            events: try Self.checked(events),
            channels: try await checked(wish.channels ?? [], in: workspace, for: user),
            seeds: WebhookSeeds(current: WebhookSigner.seed(), old: nil), createdBy: user, createdAt: .now, state: .on)
        try await record(.subscriptionCreated, subscription, by: user, from: origin)
        guard try await store.insert(subscription, after: version, limit: limits.ofWorkspace) else {
            throw Self.tooMany
        }
        watch.watch(workspace)
        return subscription
    }

    func change(
        _ id: WebhookSubscriptionID, _ wish: Wish, in workspace: WorkspaceID, by user: UserID, from origin: AuditOrigin
    ) async throws -> WebhookSubscription {
        let before = try await find(id, in: workspace, for: user)
        let (url, events) = (try wish.url.map(limits.checkedURL), try wish.events.map(Self.checked))
        var channels: [ChannelID]?
        if let wished = wish.channels { channels = try await checked(wished, in: workspace, for: user) }
        let version = try await wish.isOn == true ? access.version(of: workspace, for: user) : 0
        try await record(.subscriptionChanged, before, by: user, from: origin)
        try await store.change(before, url: url, events: events, channels: channels, at: .now)
        if url != nil { wake() }
        if wish.isOn == true {
            try await store.turnOn(before, after: version, at: .now)
            watch.watch(workspace)
            wake()
        } else if wish.isOn == false {
            _ = try await store.turnOff(before, because: nil, at: .now)
        }
        return try await find(id, in: workspace, for: user)
    }

    /// Gives the subscription another secret. The old one also signs for a while.
    func rotate(
        _ id: WebhookSubscriptionID, in workspace: WorkspaceID, by user: UserID, from origin: AuditOrigin
    ) async throws -> WebhookSubscription {
        let before = try await find(id, in: workspace, for: user)
        try await record(.subscriptionRotated, before, by: user, from: origin)
        try await store.rotate(before, to: WebhookSigner.seed(), until: .now + limits.overlap)
        return try await find(id, in: workspace, for: user)
    }

    func delete(
        _ id: WebhookSubscriptionID, in workspace: WorkspaceID, by user: UserID, from origin: AuditOrigin
    ) async throws {
        let before = try await find(id, in: workspace, for: user)
        try await record(.subscriptionDeleted, before, by: user, from: origin)
        try await store.delete(before)
    }

    // MARK: Events

    /// The events of a subscription, newest first.
    func deliveries(
        of id: WebhookSubscriptionID, in workspace: WorkspaceID, for user: UserID, before delivery: Int64,
        _ state: WebhookDelivery.State?, limit: Int
    ) async throws -> [WebhookDelivery] {
        let subscription = try await find(id, in: workspace, for: user)
        return try await deliveries.list(of: subscription, before: delivery, state, limit: limit)
    }

    /// Sends an event again that has ended. One that waits goes on waiting.
    func replay(
        _ delivery: WebhookDeliveryID, of id: WebhookSubscriptionID, in workspace: WorkspaceID, for user: UserID
    ) async throws -> WebhookDelivery {
        try await replay(delivery, of: try await find(id, in: workspace, for: user))
    }

    /// The same for operators.
    func replay(
        _ delivery: WebhookDeliveryID, of subscription: WebhookSubscription
    ) async throws -> WebhookDelivery {
        guard subscription.isOn else { throw Failure.invalid("The webhook is off.") }
        guard try await deliveries.find(delivery, of: subscription) != nil else { throw Failure.notFound }
        try await deliveries.replay(delivery, of: subscription, at: .now)
        wake()
        guard let again = try await deliveries.find(delivery, of: subscription) else { throw Failure.notFound }
        return again
    }

    // MARK: Rules

    private static func checked(_ names: [String]) throws(Failure) -> [WebhookEvent] {
        let events = names.map(WebhookEvent.init)
        guard !events.isEmpty, !events.contains(nil) else {
            throw .invalid("events must be among \(WebhookEvent.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        return WebhookEvent.allCases.filter(events.contains)
    }

    /// A manager subscribes to channels that they see.
    private func checked(
        _ channels: [ChannelID], in workspace: WorkspaceID, for user: UserID
    ) async throws -> [ChannelID] {
        if channels.isEmpty { return [] }
        let wished = Set(channels)
        guard wished.count <= Self.mostChannels else { throw Failure.invalid("There are too many channels.") }
        let visible = try await access.visibleChannels(of: user, in: workspace).map(\.id)
        guard wished.isSubset(of: visible) else { throw Failure.invalid("channels must be channels of the workspace.") }
        return wished.sorted { $0.rawValue < $1.rawValue }
    }

    private func record(
        _ action: AuditAction, _ subscription: WebhookSubscription, by user: UserID, from origin: AuditOrigin
    ) async throws {
        let now = Timestamp.now
        try await access.workspaces.record(
            AuditEvent(action, by: user, subject: "subscription-\(subscription.id)", from: origin),
            of: subscription.workspace, key: "chat-\(action.rawValue)-\(subscription.id)-\(now.milliseconds)", at: now)
    }

    private static let tooMany = Failure.invalid("The workspace has too many webhooks.")
}

import Contract
import Postgres
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Stores of outgoing webhooks")
struct WebhookStoreTests {
    private static let workspace = WorkspaceID(3)

    /// Inserts a subscription to the events of some channels of workspace 3; none for all.
    private static func subscribe(
        to events: [WebhookEvent], of channels: [ChannelID] = [], after version: Int64 = 0, in database: ChatDatabase
    ) async throws -> WebhookSubscription {
        let subscription = WebhookSubscription(
            id: WebhookSubscriptionID(1), workspace: workspace, url: "https://a.example", events: events,
            channels: channels, seeds: WebhookSeeds(current: [0], old: nil), createdBy: UserID(4), createdAt: .now,
            state: .on)
        try await database.run { pool in
            let isStored = try await WebhookSubscriptionStore(database: pool).insert(
                subscription, after: version, limit: 9)
            #expect(isStored)
        }
        return subscription
    }

    @Test("A channel that leaves a subscription between the search for news and the intake gives it no event")
    func leavingChannel() async throws {
        try await ChatDatabase.use { database in
            let subscription = try await Self.subscribe(to: [.message], of: [ChannelID(7)], in: database)
            _ = try await database.write([.sample("a")])
            try await database.run { pool in
                let intake = WebhookIntakeStore(database: pool)
                let stale = try await intake.stale(in: [Self.workspace], limit: 9)
                #expect(stale.map(\.channel) == [ChannelID(7)])
                try await WebhookSubscriptionStore(database: pool).change(
                    subscription, url: nil, events: nil, channels: [ChannelID(8)], at: .now)
                for channel in stale { try await intake.gather(channel, at: .now) }
            }
            #expect(try await database.ask("select count(*) from chat.webhook_delivery") == "0")
        }
    }

    @Test("The waiting events that a change leaves out end in pages of any size, and the others wait on")
    func pages() async throws {
        for pageSize in 1...4 {
            try await ChatDatabase.use { database in
                let subscription = try await Self.subscribe(
                    to: [.message, .member], of: [ChannelID(7)], in: database)
                _ = try await database.ask(
                    """
                    insert into chat.webhook_delivery (workspace, subscription, room, event, detail, created_at)
                    values (3, 1, 0, 'member', '{"channel_id":"8"}', 1), (3, 1, 7, 'message', null, 1),
                        (3, 1, 8, 'message', null, 1), (3, 1, 7, 'changed', null, 1), (3, 1, 0, 'member', '{}', 1),
                        (3, 1, 7, 'message', null, 1)
                    returning 1
                    """)
                try await database.run { pool in
                    try await WebhookSubscriptionStore(database: pool).endLeftOut(subscription, pageSize: pageSize)
                }
                let states = try await database.ask(
                    "select string_agg(state::text, '' order by id) from chat.webhook_delivery")
                #expect(states == "202200", "\(pageSize)")
            }
        }
    }

    @Test("A fact that is published again is not sent to a subscription that was made, or turned on, after it")
    func earlierFacts() async throws {
        try await ChatDatabase.use { database in
            let subscription = try await Self.subscribe(to: [.member], after: 5, in: database)
            try await database.run { pool in
                let (intake, store) = (WebhookIntakeStore(database: pool), WebhookSubscriptionStore(database: pool))
                func publish(_ versions: ClosedRange<Int64>) async throws {
                    for version in versions {
                        try await intake.add(
                            .member, detail: "{}", key: "\(version)",
                            in: WorkspaceVersion(workspace: Self.workspace, version: version), channel: nil, at: .now)
                    }
                }
                try await publish(4...6)
                _ = try await store.turnOff(subscription, because: nil, at: .now)
                try await publish(7...7)
                try await store.turnOn(subscription, after: 7, at: .now)
                // Redis has lost its data.
                try await publish(4...8)
            }
            let keys = "select string_agg(key, ' ' order by key) from chat.webhook_delivery"
            #expect(try await database.ask(keys) == "6 8")
        }
    }

    @Test("The deletion of a workspace locks queues before subscriptions, as the record of a call does")
    func deletionOrder() async throws {
        try await ChatDatabase.use { database in
            _ = try await Self.subscribe(to: [.message], in: database)
            _ = try await database.ask(
                """
                insert into chat.webhook_queue (workspace, subscription, room, seq, rev) values (3, 1, 7, 0, 0)
                returning 1
                """)
            try await database.database.holding(
                "update chat.webhook_queue set attempts = attempts",
                then: "update chat.webhook_subscription set failing_since = 1"
            ) {
                try await database.run { pool in
                    try await WebhookSubscriptionStore(database: pool).forget(Self.workspace)
                }
            }
            #expect(try await database.ask("select count(*) from chat.webhook_subscription") == "0")
        }
    }
}

import Contract
import Postgres
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Locks of limits")
struct LimitLockTests {
    private static let (workspace, channel) = (WorkspaceID(3), ChannelID(7))

    /// Expects that an insert beside a full limit is refused: another transaction has the lock of the limit, and a row that is not
    /// committed yet.
    private static func expectRefusal(
        beside row: String, under lock: LimitLock, _ insert: @escaping @Sendable (PostgresPool) async throws -> Bool
    ) async throws {
        try await ChatDatabase.use { database in
            let held = "select pg_advisory_xact_lock(hashtextextended('\(lock.name)', 0)); \(row)"
            let isInserted = try await database.database.holding(held) {
                try await database.run { pool in try await insert(pool) }
            }
            #expect(!isInserted)
        }
    }

    @Test("A command that waits for another one counts it")
    func commands() async throws {
        let row = """
            insert into chat.command (workspace, bot, name, description, url, seed, created_at)
            values (3, 5, 'a', 'd', 'https://a.example', '\\x00', 0)
            """
        try await Self.expectRefusal(beside: row, under: .commands(Self.workspace)) { pool in
            try await CommandStore(database: pool).insert(
                in: Self.workspace, of: UserID(5), CommandName(stored: "b"), description: "d", hint: nil,
                url: "https://a.example", seed: [0], limit: 1, at: .now) != nil
        }
    }

    @Test("An incoming webhook that waits for another one counts it")
    func incomingWebhooks() async throws {
        let row = """
            insert into chat.incoming_webhook
                (id, workspace, channel, channel_name, channel_version, name, bot, secret, created_by, created_at)
            values (1, 3, 7, 'general', 1, 'a', 5, '\\x00', 4, 0)
            """
        try await Self.expectRefusal(beside: row, under: .incomingWebhooks(Self.channel)) { pool in
            let webhook = IncomingWebhook(
                id: IncomingWebhookID(2), workspace: Self.workspace, channel: Self.channel, channelName: "general",
                name: "b", bot: UserID(6), createdBy: UserID(4), createdAt: .now, rotatedAt: nil)
            return try await IncomingWebhookStore(database: pool).insert(webhook, secret: [1], version: 1, limit: 1)
        }
    }

    @Test("A subscription that waits for another one counts it")
    func subscriptions() async throws {
        let row = """
            insert into chat.webhook_subscription (id, workspace, url, events, channels, seed, created_by, created_at)
            values (1, 3, 'https://a.example', '{message}', '{}', '\\x00', 4, 0)
            """
        try await Self.expectRefusal(beside: row, under: .subscriptions(Self.workspace)) { pool in
            let subscription = WebhookSubscription(
                id: WebhookSubscriptionID(2), workspace: Self.workspace, url: "https://b.example", events: [.message],
                channels: [], seeds: WebhookSeeds(current: [0], old: nil), createdBy: UserID(4), createdAt: .now,
                state: .on)
            return try await WebhookSubscriptionStore(database: pool).insert(subscription, limit: 1)
        }
    }
}

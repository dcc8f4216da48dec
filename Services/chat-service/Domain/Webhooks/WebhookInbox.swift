import Contract
import Crypto
import ServiceKit
import Wire

/// Writes the messages of programs into the channels of their webhooks.
struct WebhookInbox: Sendable {
    private let store: IncomingWebhookStore
    private let conversations: Conversations
    private let buckets: BucketTable<IncomingWebhookID>

    init(store: IncomingWebhookStore, conversations: Conversations, limits: IncomingWebhookLimits) {
        self.store = store
        self.conversations = conversations
        buckets = BucketTable(rate: limits.messages.rate, burst: limits.messages.burst)
    }

    /// Counts a call by a secret. Throws `notFound` if it has no webhook, and E98 if that sends too much.
    func admit(_ secret: String) async throws {
        if let wait = buckets.take(try await webhook(secret).id) { throw Failure.tooManyCalls(retryAfter: wait) }
    }

    /// The webhook of a secret. Ask for it once the body is there: the secret may have ended meanwhile.
    func webhook(_ secret: String) async throws -> IncomingWebhook {
        guard let secret = BearerSecret(secret), let webhook = try await store.find(secret.hash) else {
            throw Failure.notFound
        }
        return webhook
    }

    /// Writes a message as any other: with the limits, the filtered words and the mentions of the workspace.
    ///
    /// - Parameter name: the sender's idempotency key; nil for none.
    func send(_ content: String, name: String?, through webhook: IncomingWebhook) async throws -> MessageBody {
        try await conversations.send(
            SendRequest(content: content, files: [], clientID: name), to: webhook.target,
            by: Caller(user: webhook.bot, session: .ofWebhooks))
    }
}

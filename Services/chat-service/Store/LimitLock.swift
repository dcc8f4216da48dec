import Contract
import Postgres
import Wire

/// Advisory locks under which the rows of a limit are counted, so that concurrent calls do not exceed it.
enum LimitLock: Sendable {
    case commands(WorkspaceID)
    case incomingWebhooks(ChannelID)
    case subscriptions(WorkspaceID)

    fileprivate static let take = Statement.write(
        "lock limit", "select pg_advisory_xact_lock(hashtextextended($1::text, 0))")

    var name: String {
        switch self {
        case .commands(let workspace): "commands \(workspace)"
        case .incomingWebhooks(let channel): "incoming webhooks \(channel)"
        case .subscriptions(let workspace): "webhook subscriptions \(workspace)"
        }
    }
}

extension PostgresTransaction {
    /// Takes the lock of a limit until the transaction ends. Later statements see every row that was inserted under it.
    func lock(_ limit: LimitLock) async throws(PostgresError) { try await query(LimitLock.take, limit.name) }
}

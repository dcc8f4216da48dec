import Postgres
import Wire

/// The workspaces of subscriptions.
extension WebhookSubscriptionStore {
    private static let watched = Statement.read(
        "workspaces with subscriptions", "select distinct workspace from webhook_subscription where is_on")
    private static let watchedAmong = Statement.read(
        "workspaces with subscriptions among some",
        "select distinct workspace from webhook_subscription where workspace = any($1::bigint[]) and is_on")

    /// The workspaces with subscriptions that are on. While a part of a divided schema is out of reach, its are missing.
    func watched() async throws -> Set<WorkspaceID> {
        guard let finder else { return Set(try await database.query(Self.watched).map(Self.workspace)) }
        return Set(
            try await finder.find(
                .webhooks,
                all: { tx in try await tx.query(Self.watched).map(Self.workspace) },
                among: { tx, part in try await tx.query(Self.watchedAmong, part).map(Self.workspace) }))
    }

    private static func workspace(_ row: inout Row) throws(PostgresError) -> WorkspaceID { try row.next() }
}

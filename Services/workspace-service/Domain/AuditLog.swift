import Contract
import EventLoop
import Postgres
import ServiceKit
import Telemetry
import Wire

/// The audit log of each workspace: actions with their actor, target and origin. Entries are never changed, and expire after
/// the retention.
struct AuditLog: Sendable {
    let store: AuditStore
    let members: MemberStore
    let retention: Duration

    /// Bytes of a caller's key.
    private static let longestKey = 200

    /// Adds an entry in the transaction that makes the event true.
    ///
    /// - Parameter key: the log has one entry for each key.
    func record(
        _ event: AuditEvent, of workspace: WorkspaceID, key: String? = nil, in tx: PostgresTransaction
    ) async throws {
        try await store.insert(event, of: workspace, key: key, at: .now, in: tx)
    }

    /// Adds an event of another service, once for each key.
    func record(_ request: AuditRequest) async throws {
        guard (1...Self.longestKey).contains(request.key.utf8.count) else { throw Failure.invalid("key is not valid.") }
        try await store.insert(
            request.event, of: request.workspace, key: request.key, at: request.at, in: store.database)
    }

    /// Adds a sign-in to the log of each workspace that the user was in.
    func signedIn(_ act: AccountAct) async throws { try await record(.signedIn, "sign-in", act) }

    /// Adds an export to the log of each workspace that the user was in. It contains their messages of all of them.
    func exported(_ act: AccountAct) async throws { try await record(.exported, "export", act) }

    private func record(_ action: AuditAction, _ name: String, _ act: AccountAct) async throws {
        try await store.insert(
            action, ofAllWorkspacesOf: act.user, key: "\(name)-\(act.user)-\(act.at.milliseconds)",
            from: AuditOrigin(address: act.address, app: act.app, session: nil), at: act.at)
    }

    /// A page of the log before the entry `last`, newest first.
    func list(
        _ workspace: WorkspaceID, _ filter: AuditFilter, before last: Int64?, limit: Int, for user: UserID
    ) async throws -> [AuditEntry] {
        try Policy.require(.readAudit, of: try await members.place(of: user, in: workspace).admitted())
        return try await store.list(workspace, filter, before: last ?? .max, limit: limit, for: user)
    }

    /// Deletes entries that are older than the retention.
    func expire() async throws {
        while try await store.expire(before: .now - retention) > 0 {}
    }
}

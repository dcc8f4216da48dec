import Contract
import Postgres
import ServiceKit
import Wire

/// Requests to join a workspace, where its settings allow them.
struct JoinRequests: Sendable {
    let workspaces: Workspaces
    let store: JoinRequestStore
    let profiles: ProfileCache

    /// Characters of a request.
    private static let longestText = 300
    /// Open requests of a workspace.
    private static let mostOpen = 1000
    /// How long a declined user waits before the next request, and how long the refusal is kept.
    private static let pause = Duration.seconds(7 * 86_400)

    /// Asks to be let in. A repeated request replaces the text. Nobody learns from it that they are banned.
    func ask(_ id: WorkspaceID, text: String, by user: UserID, from origin: AuditOrigin) async throws -> JoinRequest {
        guard text.count <= Self.longestText, text.utf8.count <= 4 * Self.longestText else {
            throw Failure.invalid("The text is too long.")
        }
        return try await workspaces.changing(id, by: user) { _, role, tx in
            guard role == .outsider else { throw Failure.duplicate("You are a member already.") }
            guard try await store.isOpen(to: user, id, in: tx) else { throw Failure.notFound }
            let now = Timestamp.now
            let earlier = try await store.find(user, in: id, tx)
            if let declined = earlier?.declinedAt, declined + Self.pause > now {
                throw Failure.tooManyCalls(retryAfter: declined + Self.pause - now)
            }
            if earlier == nil || earlier?.declinedAt != nil {
                guard try await store.openCount(id, in: tx) < Self.mostOpen else {
                    throw Failure.invalid("The workspace has too many requests.")
                }
                // One entry a day: asking and withdrawing again and again must not fill the log.
                let day = now.milliseconds / 86_400_000
                try await workspaces.audit.record(
                    AuditEvent(.joinRequested, by: user, from: origin), of: id,
                    key: "join-request-\(id)-\(user)-\(day)", in: tx)
            }
            return try await store.put(user, text, in: id, at: now, tx)
        }
    }

    /// Takes back one's own request. Idempotent.
    func withdraw(_ id: WorkspaceID, by user: UserID) async throws {
        // Under the lock of the workspace: otherwise an approval under way brings in a user that was told of the withdrawal.
        try await workspaces.facts.outbox.transaction { tx in
            guard try await workspaces.store.lock(id, in: tx) != nil else { return }
            try await store.withdraw(user, from: id, tx)
        }
    }

    /// Deletes refusals that keep nobody from asking again.
    func forgetDeclined() async throws { try await store.forget(declinedBefore: .now - Self.pause) }

    /// A page of the open requests, oldest first, without deleted accounts.
    func list(
        _ id: WorkspaceID, _ page: Page, for user: UserID
    ) async throws -> [(request: JoinRequest, profile: MemberView?)] {
        try await workspaces.require(.invite, of: user, in: id)
        let found = try await store.list(id, page)
        let known = try await profiles.members(found.map(\.user))
        return found.map { ($0, known[$0.user]) }
    }

    /// Decides about an open request.
    func decide(
        _ decision: JoinDecision, about asking: UserID, in id: WorkspaceID, by user: UserID, from origin: AuditOrigin
    ) async throws {
        try await workspaces.changing(id, by: user) { workspace, role, tx in
            try Policy.require(.invite, of: role)
            guard let request = try await store.find(asking, in: id, tx), request.declinedAt == nil else {
                throw Failure.notFound
            }
            switch decision {
            case .approve: try await workspaces.admit(asking, to: workspace, in: tx)
            case .decline: try await store.decline(asking, in: id, at: .now, tx)
            }
            let action: AuditAction = decision == .approve ? .joinApproved : .joinDeclined
            try await workspaces.audit.record(AuditEvent(action, by: user, to: asking, from: origin), of: id, in: tx)
        }
        guard decision == .approve else { return }
        workspaces.facts.hint(id, user: asking)
        workspaces.facts.tell(.entered, of: id, .member(asking, of: nil))
    }
}

import Contract
import Postgres
import ServiceKit
import Wire

/// Locks members out of workspaces that require a second factor once their grace has ended, and lets them in again.
///
/// A member that is locked out stays a member. For the other services it is a removal, so that no message reaches them after
/// its place in the order of the rooms; to let them in is an addition. The decision is a column of the member's row, so that
/// no other call costs a query for it.
struct SecondFactorRule: Sendable {
    let workspaces: Workspaces
    let store: SecondFactorStore
    let notices: SecondFactorNotices
    let auth: AuthClient
    let profiles: ProfileCache

    private var facts: WorkspaceFactPublisher { workspaces.facts }

    /// Members that are changed in one transaction, under the lock of their workspace.
    private static let batchSize = 100

    /// Days of grace: by default, and at most.
    static let graceDays = 7
    static let mostGraceDays = 30

    /// Throws E15 unless the user has a second factor, so that no owner locks themselves out.
    func requireFactor(of user: UserID) async throws {
        guard try await auth.users(withSecondFactorAmong: [user]).contains(user) else {
            throw Failure(.refused, "Set up a second factor for your own account first.")
        }
    }

    /// Changes the rule of a workspace, in a transaction that holds its lock. Each change begins a new grace, and members
    /// without a second factor are told.
    func set(_ options: WorkspaceOptions, of id: WorkspaceID, at now: Timestamp, _ tx: PostgresTransaction) async throws
    {
        if let from = options.secondFactorFrom {
            try await store.require(in: id, from: from, grace: options.secondFactorGrace, at: now, tx)
        } else {
            try await store.lift(in: id, at: now, tx)
        }
        try await notices.add(options, of: id, at: now, in: tx)
    }

    /// A user has turned the second factor on or off.
    func note(_ change: SecondFactorChange) async throws {
        try await store.note(change, at: .now)
        try await apply()
    }

    /// Locks out and lets in all members that are due, except of workspaces that are being changed: they have their turn at the next
    /// call. Instances may do so at the same time.
    func apply() async throws {
        while let id = try await store.nextDue(at: .now) { try await apply(to: id) }
    }

    /// Locks out and lets in the due members of one workspace after its rule has changed. The change is committed, so a failure
    /// only leaves them to the next ``apply()``.
    func applyNow(to id: WorkspaceID) async {
        while let count = try? await apply(to: id), count == Self.batchSize {}
    }

    /// - Returns: the number of members that were due, at most a batch.
    @discardableResult
    private func apply(to id: WorkspaceID) async throws -> Int {
        let (changes, count) = try await facts.outbox.transaction { tx -> ([SecondFactorStore.Change], Int) in
            guard let workspace = try await workspaces.store.lock(id, in: tx) else { return ([], 0) }
            let now = Timestamp.now
            let due = try await store.lockDue(in: id, at: now, limit: Self.batchSize, tx)
            let changes = try await store.apply(to: due, in: id, at: now, tx)
            for change in changes {
                if change.isLockedOut {
                    try await facts.memberRemoved(change.user, from: workspace, in: tx)
                } else {
                    try await facts.memberAdded(change.user, to: workspace, in: tx)
                }
                let action: AuditAction = change.isLockedOut ? .memberLockedOut : .memberLetIn
                try await workspaces.audit.record(AuditEvent(action, by: nil, to: change.user), of: id, in: tx)
            }
            return (changes, due.count)
        }
        for change in changes {
            facts.hint(id, user: change.user)
            if !change.isLockedOut { facts.tell(.entered, of: id, .member(change.user, of: nil)) }
        }
        return count
    }

    /// Called every hour.
    func findForgotten() async throws { try await store.findForgotten(at: .now) }

    /// A page of the members without a second factor in the order of joining, for the owner; without deleted accounts.
    func lacking(
        in id: WorkspaceID, _ page: Page, for user: UserID
    ) async throws -> [(member: MemberWithoutSecondFactor, profile: MemberView?)] {
        try await workspaces.require(.changeSettings, of: user, in: id)
        let found = try await store.lacking(in: id, page)
        let known = try await profiles.members(found.map(\.user))
        return found.map { ($0, known[$0.user]) }
    }
}

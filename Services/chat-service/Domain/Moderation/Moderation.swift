import Contract
import ServiceKit
import Wire

/// Lets the owner and admins of a workspace set the standing of members and the words that messages may not have.
struct Moderation: Sendable {
    let store: StandingStore
    let access: RoomAccess
    let publisher: ModerationPublisher

    /// The caller's own standing.
    func standing(of user: UserID, in workspace: WorkspaceID) async throws -> Standing {
        try await access.requireMember(user, of: workspace)
        return try await store.find(user, in: workspace)
    }

    /// Those of the users that are neither muted nor suspended.
    func writers(among users: [UserID], in workspace: WorkspaceID) async throws -> [UserID] {
        let now = Timestamp.now
        let restricted = try await store.rules(of: workspace, at: now).restricted
        return users.filter { restricted[$0]?.isRestricting(at: now) != true }
    }

    func list(
        in workspace: WorkspaceID, for owner: UserID, after user: Int64, limit: Int
    ) async throws -> [(UserID, Standing)] {
        try await access.requireModerator(owner, of: workspace)
        return try await store.list(in: workspace, after: user, limit: limit)
    }

    /// Mutes or suspends a member, or ends that.
    func set(
        _ user: UserID, in workspace: WorkspaceID, mutedUntil: Timestamp?, isSuspended: Bool, by owner: UserID,
        from origin: AuditOrigin
    ) async throws -> Standing {
        let role = try await access.member(owner, of: workspace)
        guard role.isModerator else { throw Failure.notAllowed }
        guard user != owner else { throw Failure.invalid("You cannot mute or suspend yourself.") }
        guard let theirs = try await access.role(of: user, in: workspace) else { throw Failure.notFound }
        // A muted member may become the owner, and nobody is above an owner.
        let isFreeing = theirs == .owner && mutedUntil == nil && !isSuspended
        guard role.memberRole > theirs || isFreeing else { throw Failure.notAllowed }
        if let mutedUntil, mutedUntil <= .now { throw Failure.invalid("mutedUntil is in the past.") }
        let now = Timestamp.now
        let old = try await store.find(user, in: workspace)
        var actions: [AuditAction] = []
        if old.mutedUntil != mutedUntil { actions.append(mutedUntil == nil ? .userUnmuted : .userMuted) }
        if old.isSuspended != isSuspended { actions.append(isSuspended ? .userSuspended : .userReinstated) }
        for action in actions {
            try await access.workspaces.record(
                AuditEvent(action, by: owner, to: user, from: origin), of: workspace,
                key: "chat-standing-\(user)-\(action.rawValue)-\(now.milliseconds)", at: now)
        }
        let standing = try await store.put(user, in: workspace, mutedUntil: mutedUntil, isSuspended: isSuspended)
        publisher.changed(workspace)
        return standing
    }

    func words(of workspace: WorkspaceID, for owner: UserID) async throws -> [WordFilter.Word] {
        try await access.requireModerator(owner, of: workspace)
        return try await store.words(of: workspace)
    }

    /// Replaces the words; returns them as they are stored.
    func setWords(
        _ words: [WordFilter.Word], of workspace: WorkspaceID, by owner: UserID, from origin: AuditOrigin
    ) async throws -> [WordFilter.Word] {
        try await access.requireModerator(owner, of: workspace)
        let checked = try WordFilter.checked(words)
        let now = Timestamp.now
        try await access.workspaces.record(
            AuditEvent(.wordFilterChanged, by: owner, from: origin), of: workspace,
            key: "chat-words-\(owner)-\(now.milliseconds)", at: now)
        try await store.replaceWords(of: workspace, by: checked)
        publisher.changed(workspace)
        return checked
    }
}

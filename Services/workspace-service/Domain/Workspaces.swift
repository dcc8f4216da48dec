import Contract
import Postgres
import ServiceKit
import Wire

/// Creates, edits and deletes workspaces, and changes their members. Permissions are checked under the workspace's
/// lock, so that concurrent changes cannot break a rule.
struct Workspaces: Sendable {
    let store: WorkspaceStore
    let members: MemberStore
    let channels: ChannelStore
    let facts: WorkspaceFactPublisher
    let charges: CoinCharges
    let audit: AuditLog
    let limits: WorkspaceLimits

    /// The name of the default channel, which every member is in.
    static let defaultChannel = "일반"
    private static let deletionDeadline = Duration.seconds(60)

    /// Creates a workspace and charges its price. The coins return if the creation fails.
    func create(_ name: String, description: String, image: String, by user: UserID) async throws -> Workspace {
        let workspace = try await charges.charging(user) { reserve in
            try await facts.outbox.transaction { tx in
                try await requireFewWorkspaces(of: user, in: tx)
                let now = Timestamp.now
                let workspace = try await store.insert(
                    name: name, description: description, image: image, owner: user, at: now, in: tx)
                _ = try await channels.insert(
                    workspace.id, name: Self.defaultChannel, description: nil, image: nil, owner: user,
                    isDefault: true, at: now, in: tx)
                _ = try await members.add(user, to: workspace.id, at: now, in: tx)
                try await facts.memberAdded(user, to: workspace, in: tx)
                if let reserve { try await facts.capture(reserve, in: tx) }
                return workspace
            }
        }
        facts.hint(workspace.id, user: user)
        facts.tell(.entered, of: workspace.id, .member(user, of: nil))
        return workspace
    }

    /// Changes the values that are not nil.
    func edit(
        _ id: WorkspaceID, name: String?, description: String?, image: String?, by user: UserID,
        from origin: AuditOrigin
    ) async throws -> Workspace {
        let workspace = try await changing(id, by: user) { _, role, tx in
            try Policy.require(.edit, of: role)
            try await audit.record(AuditEvent(.workspaceChanged, by: user, from: origin), of: id, in: tx)
            let edited = try await store.edit(id, name: name, description: description, image: image, in: tx)
            try await facts.workspaceChanged(edited, in: tx)
            return edited
        }
        facts.tell(.edited, of: id, .workspace(workspace.view()))
        return workspace
    }

    /// Deletes the workspace and everything in it in one transaction. With hundreds of thousands of memberships this
    /// takes seconds.
    func delete(_ id: WorkspaceID, by user: UserID) async throws {
        try await store.transaction(within: Self.deletionDeadline, attempts: 3) { tx in
            let (workspace, role) = try await lock(id, for: user, in: tx)
            try Policy.require(.delete, of: role)
            try await store.delete(id, in: tx)
            try await facts.workspaceDeleted(workspace, in: tx)
        }
        facts.outbox.wake()
        facts.tell(.deleted, of: id, .workspace(nil))
        facts.hint(id)
    }

    /// Throws unless the user's role allows the action. Checked before calls to other services on the user's behalf.
    @discardableResult
    func require(_ action: WorkspaceAction, of user: UserID, in id: WorkspaceID) async throws -> WorkspaceRole {
        let role = try await members.place(of: user, in: id).admitted()
        try Policy.require(action, of: role)
        return role
    }

    /// Makes a registered user a member.
    func invite(_ invitee: UserID, to id: WorkspaceID, by user: UserID, from origin: AuditOrigin) async throws {
        try await changing(id, by: user) { workspace, role, tx in
            try Policy.require(.invite, of: role)
            try await admit(invitee, to: workspace, in: tx)
            try await audit.record(AuditEvent(.memberAdded, by: user, to: invitee, from: origin), of: id, in: tx)
        }
        facts.hint(id, user: invitee)
        facts.tell(.entered, of: id, .member(invitee, of: nil))
    }

    /// Makes a user a member within the limits of the workspace. The caller has checked the permission.
    ///
    /// - Returns: `added` or `lockedOut`.
    @discardableResult
    func admit(
        _ user: UserID, to workspace: Workspace, as role: WorkspaceRole = .member, in tx: PostgresTransaction
    ) async throws -> MemberAddition {
        let addition = try await members.add(user, to: workspace.id, as: role, at: .now, in: tx)
        switch addition {
        case .present: throw Failure.duplicate("The user is already a member.")
        case .banned: throw Failure(.refused, "The user is banned from the workspace.")
        case .added, .lockedOut: break
        }
        guard try await members.count(workspace.id, in: tx) <= limits.ofMembers else {
            throw Failure.invalid("The workspace has too many members.")
        }
        try await publish(addition, of: user, to: workspace, in: tx)
        return addition
    }

    /// Publishes that a user has become a member. The other services learn of a locked-out member when they are let in.
    func publish(
        _ addition: MemberAddition, of user: UserID, to workspace: Workspace, in tx: PostgresTransaction
    ) async throws {
        if addition == .lockedOut {
            try await audit.record(AuditEvent(.memberLockedOut, by: nil, to: user), of: workspace.id, in: tx)
        } else {
            try await facts.memberAdded(user, to: workspace, in: tx)
        }
    }

    /// Removes a member from the workspace and all its channels. The channels that the member owned pass to the owner of
    /// the workspace.
    func remove(_ member: UserID, from id: WorkspaceID, by user: UserID, from origin: AuditOrigin) async throws {
        let (owner, passedOn) = try await changing(id, by: user) { workspace, role, tx in
            try Policy.remove(role, oneself: member == user, try await members.role(of: member, in: id, in: tx))
            let passedOn = try await expel(member, from: workspace, by: user, in: tx)
            try await audit.record(AuditEvent(.memberRemoved, by: user, to: member, from: origin), of: id, in: tx)
            return (workspace.owner, passedOn)
        }
        facts.tell(.gone, of: id, .member(member, of: nil))
        facts.tellOwner(of: passedOn)
        facts.hint(id)
        // The owner may have entered channels of the member.
        if let owner { facts.hint(id, user: owner) }
    }

    /// Removes a member without a check. Their channels pass to the owner of the workspace, or to `user` if nobody owns it.
    ///
    /// - Returns: these channels.
    func expel(
        _ member: UserID, from workspace: Workspace, by user: UserID, in tx: PostgresTransaction
    ) async throws -> [Channel] {
        let passedOn = try await handOverChannels(of: member, in: workspace, to: workspace.owner ?? user, tx)
        try await members.remove(member, from: workspace.id, in: tx)
        try await facts.memberRemoved(member, from: workspace, in: tx)
        return passedOn
    }

    /// Makes a member the owner of the channels of another one, except the default channel, and returns these channels.
    func handOverChannels(
        of member: UserID, in workspace: Workspace, to owner: UserID, _ tx: PostgresTransaction
    ) async throws -> [Channel] {
        let channels = try await channels.handOver(ownedBy: member, in: workspace.id, to: owner, at: .now, in: tx)
        for (channel, isEntered) in channels {
            if isEntered { try await facts.channelMemberAdded(owner, to: channel, of: workspace, in: tx) }
            try await facts.channelChanged(channel, of: workspace, in: tx)
        }
        return channels.map(\.channel)
    }

    /// Transfers the workspace and its default channel to another member.
    func transferOwnership(
        of id: WorkspaceID, to newOwner: UserID, by user: UserID, from origin: AuditOrigin
    ) async throws -> Workspace {
        let (workspace, channel) = try await changing(id, by: user) { _, role, tx in
            let place = try await members.place(of: newOwner, in: id, in: tx)
            try Policy.transfer(role, toOneself: newOwner == user, newOwner: place.role)
            guard !place.isLockedOut else { throw Failure.invalid("The new owner must set up a second factor first.") }
            guard !(try await members.isBot(newOwner, in: id, of: tx)) else {
                throw Failure.invalid("A bot cannot own a workspace.")
            }
            try await requireFewWorkspaces(of: newOwner, in: tx)
            try await audit.record(
                AuditEvent(.ownershipTransferred, by: user, to: newOwner, from: origin), of: id, in: tx)
            return try await setOwner(newOwner, of: id, in: tx)
        }
        facts.hint(id)
        facts.tellOwner(of: workspace, channel)
        return workspace
    }

    /// Makes a guest a member, so that they can own the workspace, and returns the default channel if they have entered it.
    func promoteGuest(_ guest: UserID, of workspace: Workspace, in tx: PostgresTransaction) async throws -> Channel? {
        try await members.setRole(.member, of: guest, in: workspace.id, tx)
        return try await enterDefaultChannel(guest, of: workspace, in: tx)
    }

    /// Makes a member of the workspace a member of its default channel, and returns it; nil if they were one before.
    func enterDefaultChannel(
        _ user: UserID, of workspace: Workspace, in tx: PostgresTransaction
    ) async throws -> Channel? {
        guard let channel = try await channels.findDefault(of: workspace.id, in: tx),
            try await members.enterDefaultChannel(user, of: workspace.id, at: .now, in: tx)
        else { return nil }
        try await facts.channelMemberAdded(user, to: channel, of: workspace, in: tx)
        return channel
    }

    /// Makes a member the owner of the workspace and of its default channel, which `WorkspaceFactPublisher.tellOwner` tells clients
    /// of after the commit.
    func setOwner(
        _ owner: UserID, of id: WorkspaceID, in tx: PostgresTransaction
    ) async throws -> (workspace: Workspace, channel: Channel?) {
        let workspace = try await store.setOwner(owner, of: id, in: tx)
        let channel = try await channels.setDefaultOwner(owner, of: id, in: tx)
        try await facts.workspaceChanged(workspace, in: tx)
        return (workspace, channel)
    }

    /// Runs `body` under the workspace's lock, with the user's role in it.
    ///
    /// - Parameter admitsLockedOut: whether a member without the second factor that the workspace requires may do this.
    func changing<Result>(
        _ id: WorkspaceID, by user: UserID, admitsLockedOut: Bool = false,
        _ body: (Workspace, WorkspaceRole, PostgresTransaction) async throws -> Result
    ) async throws -> Result {
        try await facts.outbox.transaction { tx in
            let (workspace, role) = try await lock(id, for: user, admitsLockedOut: admitsLockedOut, in: tx)
            return try await body(workspace, role, tx)
        }
    }

    /// Throws if the user owns as many workspaces as allowed. Otherwise the user gets no other workspace until the
    /// transaction ends.
    private func requireFewWorkspaces(of user: UserID, in tx: PostgresTransaction) async throws {
        guard try await store.lockedCount(ownedBy: user, in: tx) < limits.ofOwner else {
            throw Failure.invalid("The user owns too many workspaces.")
        }
    }

    private func lock(
        _ id: WorkspaceID, for user: UserID, admitsLockedOut: Bool = false, in tx: PostgresTransaction
    ) async throws -> (Workspace, WorkspaceRole) {
        guard let workspace = try await store.lock(id, in: tx) else { throw Failure.notFound }
        let place = try await members.place(of: user, in: id, in: tx)
        return (workspace, admitsLockedOut ? place.role : try place.admitted())
    }
}

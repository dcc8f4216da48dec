import Contract
import Postgres
import ServiceKit
import Wire

/// Lists the members of a workspace with their roles, changes roles, and bans users.
struct MemberRoles: Sendable {
    let workspaces: Workspaces
    let channelMembers: ChannelMemberStore
    let bans: BanStore
    let profiles: ProfileCache

    private var members: MemberStore { workspaces.members }
    private var facts: WorkspaceFactPublisher { workspaces.facts }

    /// The most channels that a call puts a guest in.
    static let mostChannels = 100

    /// The caller's place and its actions.
    func own(_ id: WorkspaceID, _ user: UserID) async throws -> (place: RoleInWorkspace, actions: [WorkspaceAction]) {
        let place = try await members.place(of: user, in: id)
        let role = try place.admitted()
        try Policy.require(.see, of: role)
        return (place, WorkspaceAction.allCases.filter { Policy.allows($0, role) })
    }

    /// A page of the members in the order of joining, without deleted accounts.
    ///
    /// - Parameter role: only members with this role; nil for all.
    func list(
        _ id: WorkspaceID, only role: WorkspaceRole?, _ page: Page, for user: UserID
    ) async throws -> [(member: MemberWithRole, profile: MemberView?)] {
        try await workspaces.require(.seeEverybody, of: user, in: id)
        let found = try await members.roles(id, only: role, page)
        let known = try await profiles.members(found.map(\.user))
        return found.map { ($0, known[$0.user]) }
    }

    /// Gives a member another role. A new guest stays in `channels`, or without them in all but the default channel; a
    /// promoted guest enters the default channel.
    func set(
        _ new: WorkspaceRole, of member: UserID, in id: WorkspaceID, keeping channels: [ChannelID]?, by user: UserID,
        from origin: AuditOrigin
    ) async throws {
        let moves = try await workspaces.changing(id, by: user) { workspace, role, tx -> Moves? in
            let old = try await members.role(of: member, in: id, in: tx)
            try Policy.setRole(
                role, oneself: member == user, old, to: new,
                ownsChannels: try await members.ownsChannels(member, in: id, of: tx))
            guard old != new else { return nil }
            let made = try await assign(new, to: member, before: old, keeping: channels, in: workspace, tx)
            let event = AuditEvent(
                .roleChanged, by: user, to: member, detail: ["from": old.rawValue, "to": new.rawValue], from: origin)
            try await workspaces.audit.record(event, of: id, in: tx)
            return made
        }
        if let moves { tell(moves, of: member, in: id) }
    }

    /// The channels that a member has left or entered with a new role.
    struct Moves: Sendable {
        var left: [Channel] = []
        var entered: [Channel] = []
    }

    /// Gives a member a role and takes them into or out of channels as the role demands, without a check.
    func assign(
        _ new: WorkspaceRole, to member: UserID, before old: WorkspaceRole, keeping channels: [ChannelID]?,
        in workspace: Workspace, _ tx: PostgresTransaction
    ) async throws -> Moves {
        try await members.setRole(new, of: member, in: workspace.id, tx)
        if new == .guest {
            return Moves(left: try await confine(member, to: channels, of: workspace, in: tx))
        }
        guard old == .guest,
            let channel = try await workspaces.enterDefaultChannel(member, of: workspace, in: tx)
        else { return Moves() }
        return Moves(entered: [channel])
    }

    /// Tells of a changed role after the commit.
    func tell(_ moves: Moves, of member: UserID, in id: WorkspaceID) {
        facts.hint(id, user: member)
        for channel in moves.left { facts.tell(.gone, of: id, .member(member, of: channel.id)) }
        for channel in moves.entered { facts.tell(.entered, of: id, .member(member, of: channel.id)) }
    }

    /// Removes a new guest from the channels that are not theirs, and returns these channels.
    private func confine(
        _ guest: UserID, to channels: [ChannelID]?, of workspace: Workspace, in tx: PostgresTransaction
    ) async throws -> [Channel] {
        let all = try await channelMembers.channels(of: guest, in: workspace.id, except: channels ?? [], tx)
        let left = all.filter { channels != nil || $0.isDefault }
        for channel in left {
            try await channelMembers.remove(guest, from: channel.id, in: tx)
            try await facts.channelMemberRemoved(guest, from: channel, of: workspace, in: tx)
        }
        return left
    }

    // MARK: Bans

    /// Keeps a user out. A member is removed as by `Workspaces.remove`. Idempotent.
    func ban(_ banned: UserID, from id: WorkspaceID, by user: UserID, origin: AuditOrigin) async throws {
        let (owner, isGone, isNew, passedOn) = try await workspaces.changing(id, by: user) { workspace, role, tx in
            let theirs = try await members.role(of: banned, in: id, in: tx)
            try Policy.ban(role, oneself: banned == user, theirs)
            let isMember = theirs != .outsider
            let passedOn = try await isMember ? workspaces.expel(banned, from: workspace, by: user, in: tx) : []
            let isNew = try await bans.insert(banned, in: id, by: user, at: .now, tx)
            if isNew {
                try await workspaces.audit.record(
                    AuditEvent(.memberBanned, by: user, to: banned, from: origin), of: id, in: tx)
            }
            return (workspace.owner, isMember, isNew, passedOn)
        }
        guard isGone || isNew else { return }
        if isGone { facts.tell(.gone, of: id, .member(banned, of: nil)) }
        facts.tellOwner(of: passedOn)
        facts.hint(id)
        if let owner { facts.hint(id, user: owner) }
    }

    /// Lets a banned user come back by an invitation or a request. Idempotent.
    func unban(_ banned: UserID, from id: WorkspaceID, by user: UserID, origin: AuditOrigin) async throws {
        try await workspaces.changing(id, by: user) { _, role, tx in
            try Policy.require(.removeMembers, of: role)
            guard try await bans.delete(banned, in: id, tx) else { return }
            try await workspaces.audit.record(
                AuditEvent(.banLifted, by: user, to: banned, from: origin), of: id, in: tx)
        }
    }

    /// A page of the bans, newest first, without deleted accounts.
    func bans(
        of id: WorkspaceID, _ page: Page, for user: UserID
    ) async throws -> [(ban: Ban, profile: MemberView?)] {
        try await workspaces.require(.removeMembers, of: user, in: id)
        let found = try await bans.list(id, page)
        let known = try await profiles.members(found.map(\.user))
        return found.map { ($0, known[$0.user]) }
    }
}

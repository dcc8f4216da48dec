import Contract
import EventLoop
import ServiceKit
import Wire

/// Decides which rooms a user may enter. A room that a user may not see is answered like a room that does not exist.
/// Members that are locked out of its workspace for lack of a second factor are told so.
struct RoomAccess: Sendable {
    let cache: AccessCache
    let workspaces: WorkspaceClient
    let dms: DMStore
    let blocks: BlockCache
    /// Nil if `database_url` names one host.
    let knownDMs: KnownDMs?

    /// Returns the channel of a path if the user is a member of the channel.
    func channel(
        _ reference: ChannelReference, in workspace: WorkspaceID, forMember user: UserID
    ) async throws -> ChannelAccess {
        let access = try await visible(reference, in: workspace, to: user)
        guard access.isMember else { throw Failure.notFound }
        return access
    }

    /// Returns the channel of a path if the user is a member of its workspace, and makes the user a member of the
    /// channel.
    func channel(
        _ reference: ChannelReference, in workspace: WorkspaceID, joinedBy user: UserID
    ) async throws -> ChannelAccess {
        let seen = try await visible(reference, in: workspace, to: user)
        if seen.isMember { return seen }
        let askedAt = EventLoop.preciseNow
        guard let joined = try await workspaces.join(user, to: seen.id) else { throw Failure.notFound }
        // The hint about the new member may arrive after the user's next call.
        cache.keep(joined, of: user, askedAt: askedAt)
        return joined
    }

    /// The channels of a workspace that the user is a member of.
    func channels(of user: UserID, in workspace: WorkspaceID) async throws -> [ChannelAccess] {
        try await workspaces.channels(of: user, in: workspace)
    }

    /// The channels of a workspace that the user can see, members or not.
    func visibleChannels(of user: UserID, in workspace: WorkspaceID) async throws -> [ChannelAccess] {
        try await workspaces.visibleChannels(of: user, in: workspace)
    }

    /// The rooms of a workspace that the user is in, with the names of channels. Throws `notFound` unless the user is a member
    /// of the workspace.
    func rooms(of user: UserID, in workspace: WorkspaceID) async throws -> [RoomID: String?] {
        try await requireMember(user, of: workspace)
        let channels = try await channels(of: user, in: workspace).map { ($0.room, Optional($0.name)) }
        let dms = try await dms(of: user, in: workspace).map { ($0.room, String?.none) }
        return Dictionary(channels + dms) { first, _ in first }
    }

    /// Returns the DM if it is in this workspace and the user is one of its two members.
    func dm(_ id: DMID, of user: UserID, in workspace: WorkspaceID) async throws -> DM {
        let known =
            if let knownDMs {
                try await knownDMs.find(id, of: user, in: workspace, dms)
            } else {
                try await dms.find(id, of: user, in: workspace)
            }
        guard let dm = try await current(known, of: user).first else { throw await refusal(of: user, workspace) }
        return dm
    }

    /// Returns the user's DMs among `ids`. The table learns from facts, which arrive through Redis, that a member has
    /// left. While Redis is away, workspace-service is asked instead.
    func dms(_ ids: [DMID], of user: UserID) async throws -> [DM] {
        let known =
            if let knownDMs {
                try await knownDMs.find(ids, of: user, in: dms)
            } else {
                try await dms.find(ids, of: user)
            }
        return try await current(known, of: user)
    }

    /// The DMs among `known`, without those of workspaces that the user has left.
    private func current(_ known: [DM], of user: UserID) async throws -> [DM] {
        if cache.isLive || known.isEmpty { return known }
        let current = try await workspaces.access(of: user, workspaces: Array(Set(known.map(\.workspace)))).workspaces
        let ids = Set(current.map(\.id))
        return known.filter { ids.contains($0.workspace) }
    }

    /// Returns the DM if the user may write to it. Once one of the two has left the workspace, the DM is read-only.
    func openDM(_ id: DMID, of user: UserID, in workspace: WorkspaceID) async throws -> DM {
        let dm = try await dm(id, of: user, in: workspace)
        guard dm.isOpen else { throw Failure.notFound }
        if !cache.isLive { try await requireMembers([dm.opponent(of: user)], of: workspace) }
        return dm
    }

    /// The user's DMs in a workspace that are listed, oldest first.
    func dms(of user: UserID, in workspace: WorkspaceID) async throws -> [DM] {
        try await listed(try await dms.list(workspace, of: user), for: user)
    }

    /// The user's DMs in all workspaces that are listed, oldest first.
    ///
    /// - Parameter known: all DMs of the user in workspaces that the user has not left.
    func dms(of user: UserID, among known: [DM]) async throws -> [DM] { try await listed(known, for: user) }

    /// Leaves out the DMs with users that the user has blocked and has never written to: nobody reaches the user by opening a
    /// DM.
    private func listed(_ dms: [DM], for user: UserID) async throws -> [DM] {
        let blocked = try await blocks.blocked(by: user)
        let doubtful = blocked.isEmpty ? [] : dms.filter { blocked.contains($0.opponent(of: user)) }
        if doubtful.isEmpty { return dms }
        let written = try await self.dms.written(doubtful, by: user)
        return dms.filter { !blocked.contains($0.opponent(of: user)) || written.contains($0.id) }
    }

    /// Whether the user is a member of a room now, and may therefore load its files.
    func isMember(_ user: UserID, of room: RoomID) async throws -> Bool {
        if let channel = room.channel { return try await cache.access(of: user, to: channel)?.isMember == true }
        guard let dm = room.dm else { return false }
        return !(try await dms([dm], of: user).isEmpty)
    }

    /// The rooms among these that the user may read now, with the names of channels.
    func names(ofReadable rooms: Set<RoomID>, by user: UserID) async throws -> [RoomID: String?] {
        var names: [RoomID: String?] = [:]
        for room in rooms {
            guard let id = room.channel, let channel = try await cache.access(of: user, to: id), channel.isMember else {
                continue
            }
            names[room] = .some(channel.name)
        }
        for dm in try await dms(rooms.compactMap(\.dm), of: user) { names[dm.room] = .some(nil) }
        return names
    }

    /// Whether the user owns the workspace now.
    func isOwner(_ user: UserID, of workspace: WorkspaceID) async throws -> Bool {
        try await workspaces.access(of: user, workspaces: [workspace]).workspaces.first?.isOwner == true
    }

    /// Whether the user's role in the workspace may delete the messages of others now.
    func isModerator(_ user: UserID, of workspace: WorkspaceID) async throws -> Bool {
        try await workspaces.access(of: user, workspaces: [workspace]).workspaces.first?.isModerator == true
    }

    /// The user's access to the workspace now. Throws `notFound` unless the user is a member, or E08.
    func member(_ user: UserID, of workspace: WorkspaceID) async throws -> WorkspaceAccess {
        guard let access = try await workspaces.access(of: user, workspaces: [workspace]).workspaces.first else {
            throw await refusal(of: user, workspace)
        }
        return access
    }

    /// Throws `notFound` unless both are members of the workspace and see each other: a guest sees the people of their
    /// channels.
    func requireAcquainted(_ user: UserID, _ other: UserID, in workspace: WorkspaceID) async throws {
        let isGuest = try await (member(user, of: workspace).isGuest, isGuest(other, in: workspace))
        if isGuest.0 { try await requireSight(of: other, for: user, in: workspace) }
        if isGuest.1 { try await requireSight(of: user, for: other, in: workspace) }
    }

    /// Throws `notFound` unless a guest sees another member.
    func requireSight(of other: UserID, for guest: UserID, in workspace: WorkspaceID) async throws {
        if try await workspaces.acquaintances(of: guest, among: [other], in: workspace).isEmpty {
            throw Failure.notFound
        }
    }

    /// Throws `notFound` unless the user is a member of the workspace, and `notAllowed` unless their role answers reports.
    func requireModerator(_ user: UserID, of workspace: WorkspaceID) async throws {
        guard try await member(user, of: workspace).isModerator else { throw Failure.notAllowed }
    }

    private func isGuest(_ other: UserID, in workspace: WorkspaceID) async throws -> Bool {
        guard let access = try await workspaces.access(of: other, workspaces: [workspace]).workspaces.first else {
            throw Failure.notFound
        }
        return access.isGuest
    }

    /// Throws `notFound` unless the caller is a member of the workspace, or E08.
    func requireMember(_ user: UserID, of workspace: WorkspaceID) async throws {
        guard try await isMember(user, of: workspace) else { throw await refusal(of: user, workspace) }
    }

    /// Throws `notFound` unless the user is a member of the workspace, and `notAllowed` unless they are its owner or an admin.
    func requireManager(_ user: UserID, of workspace: WorkspaceID) async throws {
        guard try await member(user, of: workspace).memberRole >= .admin else { throw Failure.notAllowed }
    }

    /// Whether the user is the owner or an admin of the workspace now.
    func isManager(_ user: UserID, of workspace: WorkspaceID) async throws -> Bool {
        try await role(of: user, in: workspace).map { $0 >= .admin } ?? false
    }

    /// The version of the user's workspace now. Throws `notFound` unless the user is a member of it.
    func version(of workspace: WorkspaceID, for user: UserID) async throws -> Int64 {
        let found = try await workspaces.access(of: user, workspaces: [workspace]).workspaces.first
        guard let found else { throw Failure.notFound }
        return found.version
    }

    /// The user's role in the workspace now; nil outside of it.
    func role(of user: UserID, in workspace: WorkspaceID) async throws -> MemberRole? {
        try await workspaces.access(of: user, workspaces: [workspace]).workspaces.first?.memberRole
    }

    /// Throws `notFound` unless all users that a call is about are members of the workspace.
    func requireMembers(_ users: [UserID], of workspace: WorkspaceID) async throws {
        for user in users {
            guard try await isMember(user, of: workspace) else { throw Failure.notFound }
        }
    }

    /// Whether the user is a member of the workspace now.
    func isMember(_ user: UserID, of workspace: WorkspaceID) async throws -> Bool {
        try await !workspaces.access(of: user, workspaces: [workspace]).workspaces.isEmpty
    }

    private func visible(
        _ reference: ChannelReference, in workspace: WorkspaceID, to user: UserID
    ) async throws -> ChannelAccess {
        let found: ChannelAccess?
        switch reference {
        case .id(let id): found = try await cache.access(of: user, to: id)
        case .name(let name):
            found = try await workspaces.access(of: user, channelNamed: name, in: workspace)
        }
        guard let found, found.workspace == workspace else { throw await refusal(of: user, workspace) }
        return found
    }

    /// The reason why a user does not see a workspace or a channel. Only refused calls ask for it.
    func refusal(of user: UserID, _ workspace: WorkspaceID? = nil, channel: ChannelID? = nil) async -> Failure {
        let isLockedOut = try? await workspaces.isLockedOut(
            user, of: workspace.map { [$0] } ?? [], channels: channel.map { [$0] } ?? [])
        return isLockedOut == true ? .secondFactorMissing : .notFound
    }
}

import Contract
import EventLoop
import ServiceKit
import Wire

/// Who may enter which room. What someone may not see does not exist for them.
struct Doors: Sendable {
    let access: AccessCache
    let workspaces: WorkspaceClient
    let dms: DMStore

    /// The channel that a path means, for a member of it.
    func member(_ user: UserID, of reference: ChannelReference, in workspace: WorkspaceID) async throws -> ChannelAccess
    {
        let access = try await see(user, reference, in: workspace)
        guard access.isMember else { throw Failure.notFound }
        return access
    }

    /// The channel that a path means, for a member of its workspace, who thereby joins it.
    func reader(_ user: UserID, of reference: ChannelReference, in workspace: WorkspaceID) async throws -> ChannelAccess
    {
        let seen = try await see(user, reference, in: workspace)
        if seen.isMember { return seen }
        let askedAt = EventLoop.preciseNow
        guard let joined = try await workspaces.join(user, to: seen.id) else { throw Failure.notFound }
        // The hint of it may come later than the next call.
        access.keep(joined, of: user, askedAt: askedAt)
        return joined
    }

    /// The user's DM room of this id in this workspace.
    func dm(_ id: DMID, of user: UserID, in workspace: WorkspaceID) async throws -> DM {
        guard let dm = try await dms([id], of: user).first, dm.workspace == workspace else { throw Failure.notFound }
        return dm
    }

    /// Those of these DM rooms that are the user's. Of who has left the workspace Redis tells; while it is away,
    /// workspace-service is asked.
    func dms(_ ids: [DMID], of user: UserID) async throws -> [DM] {
        let known = try await dms.find(ids, of: user)
        if access.isLive || known.isEmpty { return known }
        let theirs = try await workspaces.access(of: user, workspaces: Array(Set(known.map(\.workspace)))).workspaces
        let ids = Set(theirs.map(\.id))
        return known.filter { ids.contains($0.workspace) }
    }

    /// The same for writing: once one of the two has left the workspace, the other one only reads.
    func openDM(_ id: DMID, of user: UserID, in workspace: WorkspaceID) async throws -> DM {
        let dm = try await dm(id, of: user, in: workspace)
        guard dm.isOpen else { throw Failure.notFound }
        if !access.isLive { try await requireMembers([dm.opponent(of: user)], of: workspace) }
        return dm
    }

    /// Whether the user is in a room now, whose files they may see then.
    func isIn(_ room: RoomID, _ user: UserID) async throws -> Bool {
        if let channel = room.channel { return try await access.access(of: user, to: channel)?.isMember == true }
        guard let dm = room.dm else { return false }
        return !(try await dms([dm], of: user).isEmpty)
    }

    /// Fails unless both are in the workspace.
    func requireMembers(_ users: [UserID], of workspace: WorkspaceID) async throws {
        for user in users {
            guard try await isMember(user, of: workspace) else { throw Failure.notFound }
        }
    }

    /// Whether the user is in the workspace now.
    func isMember(_ user: UserID, of workspace: WorkspaceID) async throws -> Bool {
        try await !workspaces.access(of: user, workspaces: [workspace]).workspaces.isEmpty
    }

    private func see(
        _ user: UserID, _ reference: ChannelReference, in workspace: WorkspaceID
    ) async throws -> ChannelAccess {
        let found: ChannelAccess?
        switch reference {
        case .id(let id): found = try await access.access(of: user, to: id)
        case .name(let name):
            found = try await workspaces.access(of: user, channelNamed: name, in: workspace)
        }
        guard let found, found.workspace == workspace else { throw Failure.notFound }
        return found
    }
}

/// How clients point at a channel: by its id, or in the first generation by its name.
enum ChannelReference: Sendable {
    case id(ChannelID)
    case name(String)
}

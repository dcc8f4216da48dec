import Contract
import ServiceKit
import Wire

/// Answers the other services' questions about memberships, and joins channels on their request.
struct Memberships: Sendable {
    let access: AccessStore
    let workspaces: WorkspaceStore
    let channels: Channels

    /// The user's access to channels; channels that the user cannot see are missing.
    func access(to ids: [ChannelID], for user: UserID) async throws -> [ChannelAccess] {
        try await access.channels(ids, for: user)
    }

    /// The user's access to workspaces; workspaces that the user is not in are missing.
    func access(to ids: [WorkspaceID], for user: UserID) async throws -> [WorkspaceAccess] {
        try await access.workspaces(ids, for: user)
    }

    /// The user's access to the channel with this name.
    func access(
        toChannelNamed name: String, of workspace: WorkspaceID, for user: UserID
    ) async throws -> ChannelAccess {
        guard let found = try await access.channel(named: name, of: workspace, for: user) else {
            throw Failure.notFound
        }
        return found
    }

    /// Makes a member of the workspace a member of the channel. Idempotent.
    func join(_ id: ChannelID, _ user: UserID) async throws -> ChannelAccess {
        guard let seen = try await access.channels([id], for: user).first else { throw Failure.notFound }
        if seen.isMember { return seen }
        try await channels.join(id, of: seen.workspace, user)
        guard let joined = try await access.channels([id], for: user).first else { throw Failure.notFound }
        return joined
    }

    func workspace(_ id: WorkspaceID) async throws -> Workspace {
        guard let found = try await workspaces.find(id) else { throw Failure.notFound }
        return found
    }

    /// A page of a channel's members, ordered by id, after the id `after`.
    func members(of channel: ChannelID, after: Int64, limit: Int) async throws -> [UserID] {
        try await access.members(of: channel, after: after, limit: limit)
    }

    /// A page of a workspace's members, ordered by id, after the id `after`.
    ///
    /// - Parameter viewer: only members that this one sees; nil for all.
    func members(
        of workspace: WorkspaceID, seenBy viewer: UserID?, after: Int64, limit: Int
    ) async throws -> [UserID] {
        try await access.members(of: workspace, seenBy: viewer, after: after, limit: limit)
    }

    /// The channels that the user is a member of, in one workspace or in all.
    func channels(of user: UserID, in workspace: WorkspaceID?) async throws -> [ChannelAccess] {
        try await access.channels(of: user, in: workspace)
    }

    /// The channels of a workspace that the user can see, members or not.
    func channels(of workspace: WorkspaceID, visibleTo user: UserID) async throws -> [ChannelAccess] {
        try await access.channels(of: workspace, visibleTo: user)
    }

    /// The channels of each user in all workspaces; users in no channel are missing.
    func channels(of users: [UserID]) async throws -> [MembershipsReply.Membership] {
        try await access.channels(of: users)
    }

    /// The channels from which the `/me` sockets of users start; users in no channel are missing.
    func starts(of users: [UserID]) async throws -> [StartChannelsReply.User] {
        try await access.starts(of: users)
    }

    /// Returns those of `others` that the user sees in a workspace, or in any.
    func acquaintances(
        of user: UserID, among others: [UserID], in workspace: WorkspaceID?
    ) async throws -> [UserID] {
        try await access.acquaintances(of: user, among: others, in: workspace)
    }

    /// The cover images, current and replaced, of workspaces and channels that the user can see.
    func visible(covers paths: [String], to user: UserID) async throws -> Set<String> {
        Set(try await access.visible(covers: paths, to: user))
    }
}

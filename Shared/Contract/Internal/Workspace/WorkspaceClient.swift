public import Wire

/// The internal API of workspace-service.
public struct WorkspaceClient: Sendable {
    private let client: InternalClient

    public init(_ client: InternalClient) { self.client = client }

    /// The user's access to those of the channels and workspaces that they can see.
    public func access(
        of user: UserID, channels: [ChannelID] = [], workspaces: [WorkspaceID] = []
    ) async throws -> AccessReply {
        try await client.send(AccessRequest(user: user, channels: channels, workspaces: workspaces))
    }

    /// Whether a workspace, or that of a channel, is hidden because it requires a second factor that the user does not have.
    public func isLockedOut(
        _ user: UserID, of workspaces: [WorkspaceID] = [], channels: [ChannelID] = []
    ) async throws -> Bool {
        try await !client.send(LockOutRequest(user: user, channels: channels, workspaces: workspaces)).workspaces
            .isEmpty
    }

    /// The user's access to the channel of this name; nil if they can see none.
    public func access(
        of user: UserID, channelNamed name: String, in workspace: WorkspaceID
    ) async throws -> ChannelAccess? {
        try await nilIfNotFound {
            try await client.send(ChannelByNameRequest(workspace: workspace, name: name, user: user))
        }
    }

    /// Makes a member of the workspace a member of the channel, once; nil if they cannot see the channel.
    public func join(_ user: UserID, to channel: ChannelID) async throws -> ChannelAccess? {
        try await nilIfNotFound { try await client.send(JoinChannelRequest(channel: channel, user: user)) }
    }

    /// A page of the members of a channel. `next` of the reply is where the next page begins; it is nil on the last page.
    public func members(of channel: ChannelID, on page: MembersPage = MembersPage()) async throws -> MembersReply {
        try await client.send(ChannelMembersRequest(channel: channel, page: page))
    }

    /// A page of the members of a workspace, like those of a channel.
    public func members(
        of workspace: WorkspaceID, on page: MembersPage = MembersPage(), seenBy viewer: UserID? = nil
    ) async throws -> MembersReply {
        try await client.send(WorkspaceMembersRequest(workspace: workspace, page: page, seenBy: viewer))
    }

    /// All members of a channel in the order of their ids, read page by page.
    public func allMembers(of channel: ChannelID) async throws -> [UserID] {
        try await all { try await members(of: channel, on: $0) }
    }

    /// All members of a workspace in the order of their ids, read page by page.
    ///
    /// - Parameter viewer: only those that this member sees; nil for all.
    public func allMembers(of workspace: WorkspaceID, seenBy viewer: UserID? = nil) async throws -> [UserID] {
        try await all { try await members(of: workspace, on: $0, seenBy: viewer) }
    }

    /// The channels that the user is a member of, in one workspace or in all.
    public func channels(of user: UserID, in workspace: WorkspaceID? = nil) async throws -> [ChannelAccess] {
        try await client.send(UserChannelsRequest(user: user, workspace: workspace)).channels
    }

    /// The channels of a workspace that the user can see, members or not.
    public func visibleChannels(of user: UserID, in workspace: WorkspaceID) async throws -> [ChannelAccess] {
        try await client.send(VisibleChannelsRequest(workspace: workspace, user: user)).channels
    }

    /// Removes a member from a workspace after a report. Removing a former member is not an error.
    ///
    /// - Parameter owner: the deciding owner or admin; nil for an operator.
    public func removeAfterReport(_ user: UserID, from workspace: WorkspaceID, by owner: UserID?) async throws {
        _ = try await client.send(ModerationRemovalRequest(workspace: workspace, user: user, by: owner))
    }

    /// The channels of each user in all workspaces; users in no channel are missing.
    public func memberships(of users: [UserID]) async throws -> [MembershipsReply.Membership] {
        if users.isEmpty { return [] }
        return try await client.send(MembershipsRequest(users: users)).memberships
    }

    /// The channels from which the `/me` sockets of users start; users in no channel are missing.
    public func starts(of users: [UserID]) async throws -> [StartChannelsReply.User] {
        if users.isEmpty { return [] }
        return try await client.send(StartChannelsRequest(users: users)).users
    }

    /// Those of `others` that `user` sees in a workspace, or in any.
    public func acquaintances(
        of user: UserID, among others: [UserID], in workspace: WorkspaceID? = nil
    ) async throws -> Set<UserID> {
        Set(try await client.send(AcquaintancesRequest(user: user, others: others, workspace: workspace)).users)
    }

    /// Writes an event into the audit log of a workspace, once for each key. An event of an unknown workspace is dropped.
    ///
    /// - Parameter key: the caller's name for the event, such as `chat-report-7-dismissed`; its service begins it.
    public func record(
        _ event: AuditEvent, of workspace: WorkspaceID, key: String, at moment: Timestamp
    ) async throws {
        _ = try await client.send(AuditRequest(workspace: workspace, key: key, at: moment, event: event))
    }

    /// The values of an invitation's mail; nil if the mail is not wanted any more.
    public func invitationMail(_ invitation: InvitationID) async throws -> InvitationMail? {
        try await nilIfNotFound { try await client.send(InvitationMailRequest(invitation: invitation)) }
    }

    /// Adds `user` to the workspaces with these slugs; a repeated call changes nothing.
    public func autoJoin(_ user: UserID, slugs: [String]) async throws {
        _ = try await client.send(AutoJoinRequest(user: user, slugs: slugs))
    }

    private func all(_ read: (MembersPage) async throws -> MembersReply) async throws -> [UserID] {
        var users: [UserID] = []
        var page: MembersPage? = MembersPage()
        while let wanted = page {
            let reply = try await read(wanted)
            users += reply.users
            page = reply.next.map { MembersPage(after: $0) }
        }
        return users
    }

    private func nilIfNotFound<Value>(_ body: () async throws -> Value) async throws -> Value? {
        do {
            return try await body()
        } catch let failure as Failure where failure.code == .notFound {
            return nil
        }
    }

    /// The owner of a workspace; nil for a system workspace and one that does not exist.
    public func owner(of workspace: WorkspaceID) async throws -> UserID? {
        try await summary(of: workspace)?.user
    }

    /// The owner, name and picture of a workspace; nil for one that does not exist.
    public func summary(of workspace: WorkspaceID) async throws -> OwnerReply? {
        try await nilIfNotFound { try await client.send(OwnerRequest(workspace: workspace)) }
    }

    /// A piece of the cover of a workspace or channel; nil if it is gone.
    public func piece(ofCover path: String, from offset: Int64) async throws -> ExportFilePiece? {
        try await client.piece(ofPicture: path, from: offset)
    }

    /// The workspaces that a user owns and that have other members.
    public func sharedWorkspaces(ownedBy user: UserID) async throws -> [WorkspaceID] {
        try await client.send(SharedWorkspacesRequest(user: user)).workspaces
    }
}

import Contract
import ServiceKit
import Wire

/// Builds the views of workspaces, channels and members that clients read.
struct WorkspaceQueries: Sendable {
    let workspaces: WorkspaceStore
    let members: MemberStore
    let channels: ChannelStore
    let channelMembers: ChannelMemberStore
    let profiles: ProfileCache
    let system: SystemUser

    /// The user's workspaces, in the order that the client profile demands.
    func workspaces(of user: UserID, for profile: ClientProfile) async throws -> [WorkspaceView] {
        let views = try await workspaces.list(of: user).map { $0.view() }
        return profile.workspaceOrder == .oldest ? views : views.reversed()
    }

    /// A workspace with all its channels and members.
    func detail(_ id: WorkspaceID, for user: UserID) async throws -> WorkspaceView {
        let workspace = try await visible(id, to: user)
        async let channels = channels.list(id)
        let people = try await people(members.list(id))
        return workspace.view(channels: try await channels.map { $0.view() }, members: people)
    }

    /// A workspace with the channels whose name contains the keyword, and the members whose nickname or email does.
    func search(_ id: WorkspaceID, _ keyword: String, for user: UserID) async throws -> WorkspaceView {
        try Keyword.validate(keyword)
        let detail = try await detail(id, for: user)
        guard let keyword = Keyword(keyword) else { return detail.with(channels: [], members: []) }
        return detail.with(
            channels: detail.channels?.filter { keyword.matches($0.name) },
            members: detail.members?.filter { keyword.matches($0.nickname) || keyword.matches($0.email) })
    }

    /// All members, including the caller, in the order of joining.
    func members(of id: WorkspaceID, for user: UserID) async throws -> [MemberView] {
        try await requireMember(user, of: id)
        return try await people(members.list(id))
    }

    func member(_ member: UserID, of id: WorkspaceID, for user: UserID) async throws -> MemberView {
        if member == .system {
            // Clients load the owners of the workspaces and channels that they show.
            guard try await visible(id, to: user).owner == nil else { throw Failure.notFound }
            return system.member
        }
        try await requireMember(user, of: id)
        try Policy.see(try await members.role(of: member, in: id))
        return try await profiles.member(member)
    }

    func channels(of id: WorkspaceID, for user: UserID) async throws -> [ChannelView] {
        try await requireMember(user, of: id)
        return try await channels.list(id).map { $0.view() }
    }

    func myChannels(of id: WorkspaceID, for user: UserID) async throws -> [ChannelView] {
        let mine = try await channels.list(id, of: user)
        // Every member of the workspace is in its default channel.
        try Policy.see(mine.isEmpty ? WorkspaceRole.outsider : .member)
        return mine.map { $0.view() }
    }

    /// A channel with its members. Reading it does not join the channel.
    func detail(_ reference: ChannelReference, of id: WorkspaceID, for user: UserID) async throws -> ChannelView {
        let channel = try await visible(reference, of: id, to: user)
        return channel.view(members: try await people(channelMembers.list(channel.id)))
    }

    func members(
        of reference: ChannelReference, of id: WorkspaceID, for user: UserID
    ) async throws -> [MemberView] {
        let channel = try await visible(reference, of: id, to: user)
        return try await people(channelMembers.list(channel.id))
    }

    private func visible(_ id: WorkspaceID, to user: UserID) async throws -> Workspace {
        try await requireMember(user, of: id)
        guard let workspace = try await workspaces.find(id) else { throw Failure.notFound }
        return workspace
    }

    private func visible(_ reference: ChannelReference, of id: WorkspaceID, to user: UserID) async throws -> Channel {
        try await requireMember(user, of: id)
        guard let channel = try await channels.find(reference, of: id) else { throw Failure.notFound }
        return channel
    }

    private func requireMember(_ user: UserID, of id: WorkspaceID) async throws {
        try Policy.see(try await members.role(of: user, in: id))
    }

    /// The profiles in the order of `users`, without deleted accounts.
    private func people(_ users: [UserID]) async throws -> [MemberView] {
        let known = try await profiles.members(users)
        return users.compactMap { known[$0] }
    }
}

extension WorkspaceView {
    fileprivate func with(channels: [ChannelView]?, members: [MemberView]?) -> WorkspaceView {
        var view = self
        view.channels = channels
        view.members = members
        return view
    }
}

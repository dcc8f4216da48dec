import Contract
import Postgres
import ServiceKit
import Wire

/// What members see of their workspaces, put together from the tables and the profiles of people.
struct Directory: Sendable {
    let database: PostgresPool
    let workspaces: WorkspaceStore
    let members: MemberStore
    let channels: ChannelStore
    let channelMembers: ChannelMemberStore
    let profiles: ProfileCache

    /// The workspaces that the user is in, in the order that the profile asks for.
    func workspaces(of user: UserID, for profile: ClientProfile) async throws -> [WorkspaceView] {
        let views = try await workspaces.list(of: user, in: database).map { $0.view() }
        return profile.workspaceOrder == .oldest ? views : views.reversed()
    }

    /// A workspace with all of its channels and members.
    func detail(_ id: WorkspaceID, for user: UserID) async throws -> WorkspaceView {
        let workspace = try await visible(id, to: user)
        async let channels = channels.list(id, in: database)
        let people = try await people(members.list(id, in: database))
        return workspace.view(channels: try await channels.map { $0.view() }, members: people)
    }

    /// A workspace with those channels and members whose name, nickname or email holds `keyword`.
    func search(_ id: WorkspaceID, _ keyword: String, for user: UserID) async throws -> WorkspaceView {
        let detail = try await detail(id, for: user)
        guard let keyword = Keyword(keyword) else { return detail.with(channels: [], members: []) }
        return detail.with(
            channels: detail.channels?.filter { keyword.isIn($0.name) },
            members: detail.members?.filter { keyword.isIn($0.nickname) || keyword.isIn($0.email) })
    }

    /// All members, the caller included, in the order of their joining.
    func members(of id: WorkspaceID, for user: UserID) async throws -> [MemberView] {
        try await requireMember(user, of: id)
        return try await people(members.list(id, in: database))
    }

    func member(_ member: UserID, of id: WorkspaceID, for user: UserID) async throws -> MemberView {
        try await requireMember(user, of: id)
        try Policy.see(try await members.standing(member, in: id, of: database))
        return try await profiles.member(member)
    }

    func channels(of id: WorkspaceID, for user: UserID) async throws -> [ChannelView] {
        try await requireMember(user, of: id)
        return try await channels.list(id, in: database).map { $0.view() }
    }

    func myChannels(of id: WorkspaceID, for user: UserID) async throws -> [ChannelView] {
        let mine = try await channels.list(id, of: user, in: database)
        // Every member is in the default channel.
        try Policy.see(mine.isEmpty ? Standing.stranger : .member)
        return mine.map { $0.view() }
    }

    /// A channel with its members; looking does not join.
    func detail(_ reference: ChannelReference, of id: WorkspaceID, for user: UserID) async throws -> ChannelView {
        let channel = try await visible(reference, of: id, to: user)
        return channel.view(members: try await people(channelMembers.list(channel.id, in: database)))
    }

    func members(
        of reference: ChannelReference, of id: WorkspaceID, for user: UserID
    ) async throws -> [MemberView] {
        let channel = try await visible(reference, of: id, to: user)
        return try await people(channelMembers.list(channel.id, in: database))
    }

    private func visible(_ id: WorkspaceID, to user: UserID) async throws -> Workspace {
        try await requireMember(user, of: id)
        guard let workspace = try await workspaces.find(id, in: database) else { throw Failure.notFound }
        return workspace
    }

    private func visible(_ reference: ChannelReference, of id: WorkspaceID, to user: UserID) async throws -> Channel {
        try await requireMember(user, of: id)
        guard let channel = try await channels.find(reference, of: id, in: database) else { throw Failure.notFound }
        return channel
    }

    private func requireMember(_ user: UserID, of id: WorkspaceID) async throws {
        try Policy.see(try await members.standing(user, in: id, of: database))
    }

    /// The profiles in the order of `users`; who has no account any more is left out.
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

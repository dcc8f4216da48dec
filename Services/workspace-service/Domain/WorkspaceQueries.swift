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
    func workspaces(of user: UserID, for profile: ClientProfile) async throws -> PagedBody {
        let isOldestFirst = profile.workspaceOrder == .oldest
        var body = PagedBody()
        body.append(
            array: PagedList<Workspace, ListKey>(pageSize: Self.pageSize) { [workspaces] place, limit in
                try await workspaces.list(of: user, isOldestFirst: isOldestFirst, after: place, limit: limit)
            } key: {
                ($0.createdAt.milliseconds, $0.id.rawValue)
            } write: { workspace, json in
                json.view(workspace.view(), for: profile)
            })
        return body
    }

    /// A workspace with all its channels and members.
    func detail(_ id: WorkspaceID, for user: UserID, _ profile: ClientProfile) async throws -> PagedBody {
        let (workspace, viewer) = try await visible(id, to: user)
        let channelPage = channelPage(of: id, for: viewer)
        async let first = channelPage(nil, Self.pageSize)
        let memberPage = memberPage(of: id, for: viewer)
        let firstMembers = try await memberPage(nil, Self.memberPageSize)
        return body(
            of: workspace, profile,
            channels: channelList(first: try await first, channelPage, for: profile) { _ in true },
            members: memberList(first: firstMembers, memberPage, for: profile) { _ in true })
    }

    /// A workspace with the channels whose name contains the keyword, and the members whose nickname or email does.
    func search(
        _ id: WorkspaceID, _ text: String, for user: UserID, _ profile: ClientProfile
    ) async throws -> PagedBody {
        try Keyword.validate(text)
        let (workspace, viewer) = try await visible(id, to: user)
        guard let keyword = Keyword(text) else { return body(of: workspace, profile, channels: nil, members: nil) }
        return body(
            of: workspace, profile,
            channels: channelList(channelPage(of: id, for: viewer), for: profile) { keyword.matches($0.name) },
            members: memberList(memberPage(of: id, for: viewer), for: profile) {
                keyword.matches($0.nickname) || keyword.matches($0.email)
            })
    }

    /// All members that the caller sees, with the caller, in the order of joining.
    func members(of id: WorkspaceID, for user: UserID, _ profile: ClientProfile) async throws -> PagedBody {
        let viewer = try await viewer(user, of: id)
        return array(memberList(memberPage(of: id, for: viewer), for: profile) { _ in true })
    }

    func member(_ member: UserID, of id: WorkspaceID, for user: UserID) async throws -> MemberView {
        if member == .system {
            // Clients load the owners of the workspaces and channels that they show.
            guard try await visible(id, to: user).workspace.owner != nil else { return system.member }
            guard try await channels.someHaveNoOwner(in: id) else { throw Failure.notFound }
            return system.member
        }
        let viewer = try await viewer(user, of: id)
        if viewer.seesEverybody || member == user {
            try Policy.require(.see, of: try await members.role(of: member, in: id))
        } else {
            guard try await members.meets(user, member, in: id) else { throw Failure.notFound }
        }
        return try await profiles.member(member)
    }

    func channels(of id: WorkspaceID, for user: UserID, _ profile: ClientProfile) async throws -> PagedBody {
        let viewer = try await viewer(user, of: id)
        return array(channelList(channelPage(of: id, for: viewer), for: profile) { _ in true })
    }

    func myChannels(of id: WorkspaceID, for user: UserID, _ profile: ClientProfile) async throws -> PagedBody {
        let page = myChannelPage(of: id, user)
        let first = try await page(nil, Self.pageSize)
        // Only outsiders and guests are in no channel.
        if first.isEmpty { _ = try await viewer(user, of: id) }
        return array(channelList(first: first, page, for: profile) { _ in true })
    }

    /// A channel with its members. Reading it does not join the channel.
    func detail(
        _ reference: ChannelReference, of id: WorkspaceID, for user: UserID, _ profile: ClientProfile
    ) async throws -> PagedBody {
        let channel = try await visible(reference, of: id, to: user)
        var body = PagedBody()
        body.append { json in
            json.beginObject()
            channel.view().writeMembers(to: &json, for: profile)
            json.key(ChannelView.membersKey)
            json.beginArray()
        }
        body.append(memberList(memberPage(of: channel.id), for: profile) { _ in true })
        body.append { json in
            json.endArray()
            json.endObject()
        }
        return body
    }

    func members(
        of reference: ChannelReference, of id: WorkspaceID, for user: UserID, _ profile: ClientProfile
    ) async throws -> PagedBody {
        let channel = try await visible(reference, of: id, to: user)
        return array(memberList(memberPage(of: channel.id), for: profile) { _ in true })
    }

    private func visible(
        _ id: WorkspaceID, to user: UserID
    ) async throws -> (workspace: Workspace, viewer: Viewer) {
        let viewer = try await viewer(user, of: id)
        guard let workspace = try await workspaces.find(id) else { throw Failure.notFound }
        return (workspace, viewer)
    }

    private func visible(_ reference: ChannelReference, of id: WorkspaceID, to user: UserID) async throws -> Channel {
        let viewer = try await viewer(user, of: id)
        guard let channel = try await channels.find(reference, of: id) else { throw Failure.notFound }
        if !viewer.seesEverybody { try Policy.see(try await channelMembers.place(of: user, in: channel.id).role) }
        return channel
    }

    /// Throws unless the user is a member of the workspace.
    private func viewer(_ user: UserID, of id: WorkspaceID) async throws -> Viewer {
        let role = try await members.place(of: user, in: id).admitted()
        try Policy.require(.see, of: role)
        return Viewer(user: user, seesEverybody: Policy.allows(.seeEverybody, role))
    }
}

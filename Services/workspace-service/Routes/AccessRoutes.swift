import Contract
import ServiceKit
import Wire

/// The internal routes for memberships, which other services call.
struct AccessRoutes: Sendable {
    let memberships: Memberships
    let system: SystemWorkspaces
    let erasure: MemberErasure

    func register(in routes: inout InternalRoutes) {
        routes.add(AccessRequest.self, bulk)
        routes.add(ChannelByNameRequest.self, byName)
        routes.add(JoinChannelRequest.self, join)
        routes.add(ChannelMembersRequest.self, page)
        routes.add(WorkspaceMembersRequest.self, page)
        routes.add(UserChannelsRequest.self, ofUser)
        routes.add(VisibleChannelsRequest.self, visible)
        routes.add(MembershipsRequest.self, memberships)
        routes.add(StartChannelsRequest.self, starts)
        routes.add(AcquaintancesRequest.self, acquaintances)
        routes.add(AutoJoinRequest.self, autoJoin)
        routes.add(SharedWorkspacesRequest.self, shared)
        routes.add(OwnerRequest.self, owner)
    }

    func owner(_ request: OwnerRequest) async throws -> OwnerReply {
        let workspace = try await memberships.workspace(request.workspace)
        return OwnerReply(user: workspace.owner, name: workspace.name, image: workspace.image)
    }

    func shared(_ request: SharedWorkspacesRequest) async throws -> SharedWorkspacesReply {
        SharedWorkspacesReply(workspaces: try await erasure.shared(ownedBy: request.user))
    }

    func bulk(_ request: AccessRequest) async throws -> AccessReply {
        AccessReply(
            channels: try await memberships.access(to: request.channels, for: request.user),
            workspaces: try await memberships.access(to: request.workspaces, for: request.user))
    }

    func byName(_ request: ChannelByNameRequest) async throws -> ChannelAccess {
        try await memberships.access(toChannelNamed: request.name, of: request.workspace, for: request.user)
    }

    func join(_ request: JoinChannelRequest) async throws -> ChannelAccess {
        try await memberships.join(request.channel, request.user)
    }

    func page(_ request: ChannelMembersRequest) async throws -> MembersReply {
        let users = try await memberships.members(
            of: request.channel, after: request.page.after?.rawValue ?? 0, limit: request.page.limit)
        return MembersReply(users, of: request.page)
    }

    func page(_ request: WorkspaceMembersRequest) async throws -> MembersReply {
        let users = try await memberships.members(
            of: request.workspace, seenBy: request.viewer, after: request.page.after?.rawValue ?? 0,
            limit: request.page.limit)
        return MembersReply(users, of: request.page)
    }

    func ofUser(_ request: UserChannelsRequest) async throws -> UserChannelsReply {
        UserChannelsReply(channels: try await memberships.channels(of: request.user, in: request.workspace))
    }

    func visible(_ request: VisibleChannelsRequest) async throws -> UserChannelsReply {
        UserChannelsReply(channels: try await memberships.channels(of: request.workspace, visibleTo: request.user))
    }

    func memberships(_ request: MembershipsRequest) async throws -> MembershipsReply {
        MembershipsReply(memberships: try await memberships.channels(of: request.users))
    }

    func starts(_ request: StartChannelsRequest) async throws -> StartChannelsReply {
        StartChannelsReply(users: try await memberships.starts(of: request.users))
    }

    func acquaintances(_ request: AcquaintancesRequest) async throws -> UsersReply {
        UsersReply(
            users: try await memberships.acquaintances(
                of: request.user, among: request.others, in: request.workspace))
    }

    func autoJoin(_ request: AutoJoinRequest) async throws -> EmptyReply {
        try await system.join(request.user, slugs: request.slugs)
        return EmptyReply()
    }
}

extension MembersReply {
    /// A page that is full may be followed by another one.
    fileprivate init(_ users: [UserID], of page: MembersPage) {
        self.init(users: users, next: users.count == page.limit ? users.last : nil)
    }
}

import Contract
import Postgres
import ServiceKit
import Wire

/// The memberships for other services.
struct AccessRoutes: Sendable {
    let database: PostgresPool
    let access: AccessStore
    let members: MemberStore
    let channelMembers: ChannelMemberStore
    let channels: Channels
    let system: SystemWorkspaces

    func register(in routes: inout InternalRoutes) {
        routes.add(AccessRequest.self, bulk)
        routes.add(ChannelByNameRequest.self, byName)
        routes.add(JoinChannelRequest.self, join)
        routes.add(ChannelMembersRequest.self, page)
        routes.add(UserChannelsRequest.self, ofUser)
        routes.add(AcquaintancesRequest.self, acquaintances)
        routes.add(AutoJoinRequest.self, autoJoin)
    }

    func bulk(_ request: AccessRequest) async throws -> AccessReply {
        AccessReply(
            channels: try await access.channels(request.channels, for: request.user),
            workspaces: try await access.workspaces(request.workspaces, for: request.user))
    }

    func byName(_ request: ChannelByNameRequest) async throws -> ChannelAccess {
        let found = try await access.channel(named: request.name, of: request.workspace, for: request.user)
        guard let found else { throw Failure.notFound }
        return found
    }

    func join(_ request: JoinChannelRequest) async throws -> ChannelAccess {
        let (id, user) = (request.channel, request.user)
        guard let seen = try await access.channels([id], for: user).first else { throw Failure.notFound }
        if seen.isMember { return seen }
        try await channels.join(id, of: seen.workspace, user)
        guard let joined = try await access.channels([id], for: user).first else { throw Failure.notFound }
        return joined
    }

    func page(_ request: ChannelMembersRequest) async throws -> ChannelMembersReply {
        let users = try await channelMembers.page(
            request.channel, after: request.after?.rawValue ?? 0, limit: request.limit, in: database)
        return ChannelMembersReply(users: users, next: users.count == request.limit ? users.last : nil)
    }

    func ofUser(_ request: UserChannelsRequest) async throws -> UserChannelsReply {
        UserChannelsReply(channels: try await access.channels(of: request.user, in: request.workspace))
    }

    func acquaintances(_ request: AcquaintancesRequest) async throws -> AcquaintancesReply {
        AcquaintancesReply(
            users: try await members.acquaintances(of: request.user, among: request.others, in: database))
    }

    func autoJoin(_ request: AutoJoinRequest) async throws -> EmptyReply {
        try await system.enter(request.user, slugs: request.slugs)
        return EmptyReply()
    }
}

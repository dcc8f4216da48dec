public import Wire

/// The internal API of workspace-service.
public struct WorkspaceClient: Sendable {
    private let client: InternalClient

    public init(_ client: InternalClient) { self.client = client }

    /// What the user is to those of the channels and workspaces that they can see.
    public func access(
        of user: UserID, channels: [ChannelID] = [], workspaces: [WorkspaceID] = []
    ) async throws -> (channels: [ChannelAccess], workspaces: [WorkspaceAccess]) {
        let json = try await client.ask("/internal/access") { json in
            json.field("user_id", user.description)
            json.field("channels", channels.map(\.description))
            json.field("workspaces", workspaces.map(\.description))
        }
        return (
            json["channels"]?.elements?.compactMap(ChannelAccess.init) ?? [],
            json["workspaces"]?.elements?.compactMap(WorkspaceAccess.init) ?? []
        )
    }

    /// What the user is to the channel of this name; nil where they see none.
    public func access(
        of user: UserID, channelNamed name: String, in workspace: WorkspaceID
    ) async throws -> ChannelAccess? {
        let name = PercentEncoding.strict.encode(name)
        let path = "/internal/workspaces/\(workspace)/channels/by-name?name=\(name)&user_id=\(user)"
        return try await absentIfNotFound { ChannelAccess(try await client.get(path)) }
    }

    /// Makes a member of the workspace a member of the channel, once; nil where the user does not see it.
    public func join(_ user: UserID, to channel: ChannelID) async throws -> ChannelAccess? {
        try await absentIfNotFound {
            ChannelAccess(
                try await client.ask("/internal/channels/\(channel)/join") { json in
                    json.field("user_id", user.description)
                })
        }
    }

    /// The members of a channel after `after`, by id, and after whom to go on; nil after the last.
    public func members(
        of channel: ChannelID, after: UserID? = nil, limit: Int = 1000
    ) async throws -> (users: [UserID], next: UserID?) {
        let json = try await client.get(
            "/internal/channels/\(channel)/members?after=\(after?.rawValue ?? 0)&limit=\(limit)")
        let users = json["members"]?.elements?.compactMap { $0.string.flatMap(UserID.init) } ?? []
        return (users, json["next"]?.string.flatMap(UserID.init))
    }

    /// The channels that the user is in, of one workspace or of all.
    public func channels(of user: UserID, in workspace: WorkspaceID? = nil) async throws -> [ChannelAccess] {
        let filter = workspace.map { "?workspace_id=\($0)" } ?? ""
        let json = try await client.get("/internal/users/\(user)/channels\(filter)")
        return json["channels"]?.elements?.compactMap(ChannelAccess.init) ?? []
    }

    private func absentIfNotFound<Value>(_ body: () async throws -> Value?) async throws -> Value? {
        do {
            return try await body()
        } catch let failure as Failure where failure.code == .notFound {
            return nil
        }
    }

    /// Those of `others` who share a workspace with `user`.
    public func acquaintances(of user: UserID, among others: [UserID]) async throws -> Set<UserID> {
        let json = try await client.ask("/internal/acquaintances") { json in
            json.field("user_id", user.description)
            json.field("others", others.map(\.description))
        }
        return Set(json["ids"]?.elements?.compactMap { $0.string.flatMap(UserID.init) } ?? [])
    }

    /// Brings `user` into the workspaces of these slugs; once is as good as often.
    public func autoJoin(_ user: UserID, slugs: [String]) async throws {
        _ = try await client.ask("/internal/auto-join") { json in
            json.field("user_id", user.description)
            json.field("slugs", slugs)
        }
    }
}

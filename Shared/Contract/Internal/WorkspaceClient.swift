public import Wire

/// The internal API of workspace-service.
public struct WorkspaceClient: Sendable {
    private let client: InternalClient

    public init(_ client: InternalClient) { self.client = client }

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

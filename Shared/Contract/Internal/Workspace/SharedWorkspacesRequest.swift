public import Wire

/// Asks workspace-service for the workspaces that a user owns and that have other members.
public struct SharedWorkspacesRequest: InternalRequest {
    public typealias Reply = SharedWorkspacesReply

    public static let route = InternalRoute.get("/internal/users/{id}/shared-workspaces")

    public let user: UserID

    public init(user: UserID) { self.user = user }

    public init(reading request: InternalRequestReader) throws(Failure) { self.init(user: try request.id("id")) }

    public func write(to request: inout InternalRequestWriter) { request.parameter(user) }
}

public struct SharedWorkspacesReply: WireMessage {
    public let workspaces: [WorkspaceID]

    public init(workspaces: [WorkspaceID]) { self.workspaces = workspaces }

    public init?(_ json: JSONValue) {
        guard let workspaces: [WorkspaceID] = json.textIDs("ids") else { return nil }
        self.init(workspaces: workspaces)
    }

    public func write(to json: inout JSONWriter) { json.object { $0.field("ids", workspaces.map(\.description)) } }
}

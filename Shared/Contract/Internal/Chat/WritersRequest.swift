public import Wire

/// Asks chat-service which of these members of a workspace are neither muted nor suspended there, 1,000 members at most.
public struct WritersRequest: InternalRequest {
    public typealias Reply = UsersReply

    public static let route = InternalRoute.idempotentPost("/internal/workspaces/{id}/writers")

    public let workspace: WorkspaceID
    public let users: [UserID]

    public init(workspace: WorkspaceID, users: [UserID]) {
        self.workspace = workspace
        self.users = users
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(workspace: try request.id("id"), users: try request.memberIDs("ids"))
    }

    public func write(to request: inout InternalRequestWriter) {
        request.parameter(workspace)
        request.body { json in json.field("ids", users.map(\.description)) }
    }
}

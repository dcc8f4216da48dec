public import Wire

/// Asks workspace-service for the owner of a workspace.
public struct OwnerRequest: InternalRequest {
    public typealias Reply = OwnerReply

    public static let route = InternalRoute.get("/internal/workspaces/{id}/owner")

    public let workspace: WorkspaceID

    public init(workspace: WorkspaceID) { self.workspace = workspace }

    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(workspace: try request.id("id"))
    }

    public func write(to request: inout InternalRequestWriter) { request.parameter(workspace) }
}

public struct OwnerReply: WireMessage {
    /// Nil for a system workspace, which nobody owns.
    public let user: UserID?

    public init(user: UserID?) { self.user = user }

    public init?(_ json: JSONValue) { self.init(user: json.textID("user_id")) }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            if let user { json.field("user_id", user.description) }
        }
    }
}

public import Wire

/// Removes a member from a workspace after a report. Removing a former member is not an error.
public struct ModerationRemovalRequest: InternalRequest {
    public typealias Reply = EmptyReply

    public static let route = InternalRoute.idempotentPost("/internal/workspaces/{id}/removals")

    public let workspace: WorkspaceID
    public let user: UserID
    /// The deciding owner or admin; nil for an operator.
    public let owner: UserID?

    public init(workspace: WorkspaceID, user: UserID, by owner: UserID?) {
        self.workspace = workspace
        self.user = user
        self.owner = owner
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        let owner = request.member("by")?.string.flatMap(UserID.init)
        self.init(workspace: try request.id("id"), user: try request.memberID("user_id"), by: owner)
    }

    public func write(to request: inout InternalRequestWriter) {
        request.parameter(workspace)
        request.body { json in
            json.field("user_id", user.description)
            if let owner { json.field("by", owner.description) }
        }
    }
}

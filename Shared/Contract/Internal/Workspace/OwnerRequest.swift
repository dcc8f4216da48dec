public import Wire

/// Asks workspace-service for the owner of a workspace, and for its name and picture.
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
    /// Nil for a system workspace, which has no owner.
    public let user: UserID?
    /// Nil from an older release.
    public let name: String?
    /// The path of the picture; nil from an older release.
    public let image: String?

    public init(user: UserID?, name: String? = nil, image: String? = nil) {
        self.user = user
        self.name = name
        self.image = image
    }

    public init?(_ json: JSONValue) {
        self.init(user: json.textID("user_id"), name: json.string("name"), image: json.string("image"))
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            if let user { json.field("user_id", user.description) }
            if let name { json.field("name", name) }
            if let image { json.field("image", image) }
        }
    }
}

public import Wire

/// A request to workspace-service about a user, some channels and some workspaces, 1,000 of each at most.
public protocol AccessQuestion: InternalRequest {
    var user: UserID { get }
    var channels: [ChannelID] { get }
    var workspaces: [WorkspaceID] { get }

    init(user: UserID, channels: [ChannelID], workspaces: [WorkspaceID])
}

extension AccessQuestion {
    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(
            user: try request.memberID("user_id"), channels: try request.memberIDs("channels"),
            workspaces: try request.memberIDs("workspaces"))
    }

    public func write(to request: inout InternalRequestWriter) {
        request.body { json in
            json.field("user_id", user.description)
            json.field("channels", channels.map(\.description))
            json.field("workspaces", workspaces.map(\.description))
        }
    }
}

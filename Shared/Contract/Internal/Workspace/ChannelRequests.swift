public import Wire

/// Asks workspace-service for a user's access to the channel of this name; the reply is 404 if they can see none.
public struct ChannelByNameRequest: InternalRequest {
    public typealias Reply = ChannelAccess

    public static let route = InternalRoute.get("/internal/workspaces/{id}/channels/by-name")

    public let workspace: WorkspaceID
    public let name: String
    public let user: UserID

    public init(workspace: WorkspaceID, name: String, user: UserID) {
        self.workspace = workspace
        self.name = name
        self.user = user
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        guard let name = request.query("name") else { throw .invalid("name is missing.") }
        self.init(workspace: try request.id("id"), name: name, user: try request.queryID("user_id"))
    }

    public func write(to request: inout InternalRequestWriter) {
        request.parameter(workspace)
        request.query("name", name)
        request.query("user_id", user)
    }
}

/// Makes a member of the workspace a member of the channel, once. The reply is their access; it is 404 if the user is
/// not a member of the workspace.
public struct JoinChannelRequest: InternalRequest {
    public typealias Reply = ChannelAccess

    public static let route = InternalRoute.idempotentPost("/internal/channels/{id}/join")

    public let channel: ChannelID
    public let user: UserID

    public init(channel: ChannelID, user: UserID) {
        self.channel = channel
        self.user = user
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(channel: try request.id("id"), user: try request.memberID("user_id"))
    }

    public func write(to request: inout InternalRequestWriter) {
        request.parameter(channel)
        request.body { $0.field("user_id", user.description) }
    }
}

/// Asks workspace-service for the channels that a user is a member of, in one workspace or in all.
public struct UserChannelsRequest: InternalRequest {
    public typealias Reply = UserChannelsReply

    public static let route = InternalRoute.get("/internal/users/{id}/channels")

    public let user: UserID
    /// Nil for all workspaces.
    public let workspace: WorkspaceID?

    public init(user: UserID, workspace: WorkspaceID?) {
        self.user = user
        self.workspace = workspace
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        let workspace: WorkspaceID? =
            request.query("workspace_id") == nil ? nil : try request.queryID("workspace_id")
        self.init(user: try request.id("id"), workspace: workspace)
    }

    public func write(to request: inout InternalRequestWriter) {
        request.parameter(user)
        if let workspace { request.query("workspace_id", workspace) }
    }
}

/// Asks workspace-service for the channels of a workspace that a user can see, members or not.
public struct VisibleChannelsRequest: InternalRequest {
    public typealias Reply = UserChannelsReply

    public static let route = InternalRoute.get("/internal/workspaces/{id}/channels")

    public let workspace: WorkspaceID
    public let user: UserID

    public init(workspace: WorkspaceID, user: UserID) {
        self.workspace = workspace
        self.user = user
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(workspace: try request.id("id"), user: try request.queryID("user_id"))
    }

    public func write(to request: inout InternalRequestWriter) {
        request.parameter(workspace)
        request.query("user_id", user)
    }
}

public struct UserChannelsReply: WireMessage {
    public let channels: [ChannelAccess]

    public init(channels: [ChannelAccess]) { self.channels = channels }

    public init?(_ json: JSONValue) { self.init(channels: json.list("channels")) }

    public var sizeHint: Int { 512 }

    public func write(to json: inout JSONWriter) { json.object { $0.field("channels", channels) } }
}

public import Wire

/// Asks workspace-service for a user's access to channels and workspaces. Those that the user cannot see are missing from
/// the reply.
public struct AccessRequest: AccessQuestion {
    public typealias Reply = AccessReply

    public static let route = InternalRoute.idempotentPost("/internal/access")

    public let user: UserID
    public let channels: [ChannelID]
    public let workspaces: [WorkspaceID]

    public init(user: UserID, channels: [ChannelID], workspaces: [WorkspaceID]) {
        self.user = user
        self.channels = channels
        self.workspaces = workspaces
    }
}

public struct AccessReply: WireMessage {
    public let channels: [ChannelAccess]
    public let workspaces: [WorkspaceAccess]

    public init(channels: [ChannelAccess], workspaces: [WorkspaceAccess]) {
        self.channels = channels
        self.workspaces = workspaces
    }

    public init?(_ json: JSONValue) {
        self.init(channels: json.list("channels"), workspaces: json.list("workspaces"))
    }

    public var sizeHint: Int { 512 }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("channels", channels)
            json.field("workspaces", workspaces)
        }
    }
}

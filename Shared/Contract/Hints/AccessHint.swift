public import Wire

/// Users may see more or less of a workspace or a channel than before.
public struct AccessHint: Hint {
    public static let redisChannel = "invalidate:access"

    public let workspace: WorkspaceID
    /// Nil if the whole workspace is concerned.
    public let channel: ChannelID?
    /// Nil if every user is concerned.
    public let user: UserID?

    public init(workspace: WorkspaceID, channel: ChannelID? = nil, user: UserID? = nil) {
        self.workspace = workspace
        self.channel = channel
        self.user = user
    }

    public init?(_ json: JSONValue) {
        guard let workspace: WorkspaceID = json.textID("workspace_id") else { return nil }
        self.init(workspace: workspace, channel: json.textID("channel_id"), user: json.textID("user_id"))
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("workspace_id", workspace.description)
            if let channel { json.field("channel_id", channel.description) }
            if let user { json.field("user_id", user.description) }
        }
    }
}

public import Wire

/// A workspace at a version.
public struct WorkspaceVersion: WireMessage {
    public let workspace: WorkspaceID
    public let version: Int64

    public init(workspace: WorkspaceID, version: Int64) {
        self.workspace = workspace
        self.version = version
    }

    public init?(_ json: JSONValue) {
        guard let workspace: WorkspaceID = json.textID("workspace_id"), let version = json.int64("version") else {
            return nil
        }
        self.init(workspace: workspace, version: version)
    }

    public func write(to json: inout JSONWriter) { json.object { writeMembers(to: &$0) } }

    fileprivate func writeMembers(to json: inout JSONWriter) {
        json.field("workspace_id", workspace.description)
        json.field("version", version)
    }
}

/// A user's joining or leaving of a workspace.
public struct WorkspaceMembership: WireMessage {
    public let workspace: WorkspaceVersion
    public let user: UserID

    public init(workspace: WorkspaceVersion, user: UserID) {
        self.workspace = workspace
        self.user = user
    }

    public init?(_ json: JSONValue) {
        guard let workspace = WorkspaceVersion(json), let user: UserID = json.textID("user_id") else { return nil }
        self.init(workspace: workspace, user: user)
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            workspace.writeMembers(to: &json)
            json.field("user_id", user.description)
        }
    }
}

/// A channel at a version of its workspace.
public struct ChannelVersion: WireMessage {
    public let workspace: WorkspaceVersion
    public let channel: ChannelID
    public let name: String

    public init(workspace: WorkspaceVersion, channel: ChannelID, name: String) {
        self.workspace = workspace
        self.channel = channel
        self.name = name
    }

    public init?(_ json: JSONValue) {
        guard let workspace = WorkspaceVersion(json), let channel: ChannelID = json.textID("channel_id"),
            let name = json.string("name")
        else { return nil }
        self.init(workspace: workspace, channel: channel, name: name)
    }

    public func write(to json: inout JSONWriter) { json.object { writeMembers(to: &$0) } }

    fileprivate func writeMembers(to json: inout JSONWriter) {
        workspace.writeMembers(to: &json)
        json.field("channel_id", channel.description)
        json.field("name", name)
    }
}

/// A user's joining or leaving of a channel.
public struct ChannelMembership: WireMessage {
    public let channel: ChannelVersion
    public let user: UserID

    public init(channel: ChannelVersion, user: UserID) {
        self.channel = channel
        self.user = user
    }

    public init?(_ json: JSONValue) {
        guard let channel = ChannelVersion(json), let user: UserID = json.textID("user_id") else { return nil }
        self.init(channel: channel, user: user)
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            channel.writeMembers(to: &json)
            json.field("user_id", user.description)
        }
    }
}

public import Wire

/// A change of a workspace, a channel or a member, for the clients that show it. It carries the new values.
///
/// workspace-service publishes it after the commit, beside the `AccessHint` of the same change.
public struct DirectoryHint: Hint {
    public static let redisChannel = "directory"

    /// The kind of change.
    public enum Change: String, Sendable, CaseIterable {
        case created, edited, deleted
        /// A user has become a member.
        case entered
        /// A member has left, or was removed.
        case gone
    }

    public enum Subject: Sendable, Equatable {
        /// Nil where the workspace is gone.
        case workspace(WorkspaceView?)
        /// The view is nil where the channel is gone.
        case channel(ChannelID, ChannelView?)
        /// A member of the workspace, or of one of its channels.
        case member(UserID, of: ChannelID?)
    }

    public let change: Change
    public let workspace: WorkspaceID
    public let subject: Subject

    public init(_ change: Change, of workspace: WorkspaceID, _ subject: Subject) {
        self.change = change
        self.workspace = workspace
        self.subject = subject
    }

    public init?(_ json: JSONValue) {
        guard let change = json.string("type").flatMap(Change.init),
            let workspace: WorkspaceID = json.textID("workspace_id")
        else { return nil }
        let channel: ChannelID? = json.textID("channel_id")
        switch json.string("subject") {
        case "workspace": self.init(change, of: workspace, .workspace(Self.workspace(workspace, json)))
        case "channel":
            guard let channel else { return nil }
            self.init(change, of: workspace, .channel(channel, Self.channel(channel, of: workspace, json)))
        case "member":
            guard let user: UserID = json.textID("user_id") else { return nil }
            self.init(change, of: workspace, .member(user, of: channel))
        default: return nil
        }
    }

    private static func workspace(_ id: WorkspaceID, _ json: JSONValue) -> WorkspaceView? {
        guard let name = json.string("name"), let owner: UserID = json.textID("owner_id"),
            let image = json.string("image"), let createdAt = json.timestamp("created_at")
        else { return nil }
        return WorkspaceView(
            id: id, name: name, description: json.string("description") ?? "", image: image, owner: owner,
            createdAt: createdAt)
    }

    private static func channel(_ id: ChannelID, of workspace: WorkspaceID, _ json: JSONValue) -> ChannelView? {
        guard let name = json.string("name"), let owner: UserID = json.textID("owner_id"),
            let createdAt = json.timestamp("created_at")
        else { return nil }
        return ChannelView(
            workspace: workspace, id: id, name: name, description: json.string("description"),
            image: json.string("image"), owner: owner, isPrivate: json.bool("private") ?? false, createdAt: createdAt)
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("type", change.rawValue)
            json.field("workspace_id", workspace.description)
            switch subject {
            case .workspace(let view):
                json.field("subject", "workspace")
                if let view { write(view.name, view.description, view.image, view.owner, view.createdAt, to: &json) }
            case .channel(let channel, let view):
                json.field("subject", "channel")
                json.field("channel_id", channel.description)
                guard let view else { return }
                write(view.name, view.description, view.image, view.owner, view.createdAt, to: &json)
                if view.isPrivate { json.field("private", true) }
            case .member(let user, let channel):
                json.field("subject", "member")
                json.field("user_id", user.description)
                if let channel { json.field("channel_id", channel.description) }
            }
        }
    }

    private func write(
        _ name: String, _ description: String?, _ image: String?, _ owner: UserID, _ createdAt: Timestamp,
        to json: inout JSONWriter
    ) {
        json.field("name", name)
        if let description { json.field("description", description) }
        if let image { json.field("image", image) }
        json.field("owner_id", owner.description)
        json.field("created_at", createdAt.milliseconds)
    }
}

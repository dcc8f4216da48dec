public import Wire

/// A workspace: without its channels and members in lists, with them in details.
public struct WorkspaceView: View {
    public let id: WorkspaceID
    public let name: String
    public let description: String
    /// A path that begins with `/static/`.
    public let image: String
    public let owner: UserID
    public let createdAt: Timestamp
    /// Nil in lists.
    public var channels: [ChannelView]?
    public var members: [MemberView]?

    public init(
        id: WorkspaceID, name: String, description: String, image: String, owner: UserID, createdAt: Timestamp,
        channels: [ChannelView]? = nil, members: [MemberView]? = nil
    ) {
        self.id = id
        self.name = name
        self.description = description
        self.image = image
        self.owner = owner
        self.createdAt = createdAt
        self.channels = channels
        self.members = members
    }

    public func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in
            json.field("workspace_id", id, for: profile)
            json.field("name", name)
            json.field("description", description)
            json.field(profile.generation == .january2024 ? "thumbnail" : "coverImage", image)
            json.field("owner_id", owner, for: profile)
            json.field("createdAt", createdAt)
            if let channels { json.field("channels", channels, for: profile) }
            if let members { json.field("workspaceMembers", members, for: profile) }
        }
    }
}

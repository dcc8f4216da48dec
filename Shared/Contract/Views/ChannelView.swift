public import Wire

/// A channel: without its members in lists, with them in details.
public struct ChannelView: View {
    public let workspace: WorkspaceID
    public let id: ChannelID
    public let name: String
    public let description: String?
    /// A path that begins with `/static/`. Clients of the first generation do not receive it.
    public let image: String?
    public let owner: UserID
    public let isPrivate: Bool
    public let createdAt: Timestamp
    /// Nil in lists.
    public var members: [MemberView]?

    public init(
        workspace: WorkspaceID, id: ChannelID, name: String, description: String?, image: String?, owner: UserID,
        isPrivate: Bool, createdAt: Timestamp, members: [MemberView]? = nil
    ) {
        self.workspace = workspace
        self.id = id
        self.name = name
        self.description = description
        self.image = image
        self.owner = owner
        self.isPrivate = isPrivate
        self.createdAt = createdAt
        self.members = members
    }

    public func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in
            json.field("channel_id", id, for: profile)
            json.field("name", name)
            json.field("description", description)
            switch profile.generation {
            case .january2024:
                json.field("workspace_id", workspace, for: profile)
                json.field("private", isPrivate ? 1 : 0)
            case .july2024:
                json.field("coverImage", image)
            }
            json.field("owner_id", owner, for: profile)
            json.field("createdAt", createdAt)
            if let members { json.field("channelMembers", members, for: profile) }
        }
    }
}

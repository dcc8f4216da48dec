public import Wire

/// A channel. A detail adds its members.
public struct ChannelView: View, Equatable {
    public let workspace: WorkspaceID
    public let id: ChannelID
    public let name: String
    public let description: String?
    /// A path that begins with `/static/`. Clients of the first generation do not receive it.
    public let image: String?
    public let owner: UserID
    public let isPrivate: Bool
    public let createdAt: Timestamp

    public init(
        workspace: WorkspaceID, id: ChannelID, name: String, description: String?, image: String?, owner: UserID,
        isPrivate: Bool, createdAt: Timestamp
    ) {
        self.workspace = workspace
        self.id = id
        self.name = name
        self.description = description
        self.image = image
        self.owner = owner
        self.isPrivate = isPrivate
        self.createdAt = createdAt
    }

    public func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in writeMembers(to: &json, for: profile) }
    }

    /// Appends the members of the object without its braces, for a reply that adds a list.
    public func writeMembers(to json: inout JSONWriter, for profile: ClientProfile) {
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
    }

    /// The key of the list in a detail.
    public static let membersKey: StaticString = "channelMembers"
}

extension ChannelView {
    private static let members: [Schema.Member] = [
        .has("channel_id", .id), .has("name", .text), .has("description", .optional(.text)),
        .has("workspace_id", .id).only(.january2024), .has("private", .integer(0...1)).only(.january2024),
        .has("coverImage", .optional(.path)).only(.july2024, .native), .has("owner_id", .id), .has("createdAt", .time),
    ]

    /// The form of `write` in the reference.
    public static let entity = Schema.Entity("Channel", "A channel.", members)
    /// The form with its members.
    public static let detail = Schema.Entity(
        "ChannelDetail", "A channel with its members.",
        members + [.has("\(membersKey)", .list(.entity(MemberView.entity)))])
}

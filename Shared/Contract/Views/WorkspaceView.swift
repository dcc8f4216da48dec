public import Wire

/// A workspace. A detail adds its channels and members.
public struct WorkspaceView: View, Equatable {
    public let id: WorkspaceID
    public let name: String
    public let description: String
    /// A path that begins with `/static/`.
    public let image: String
    public let owner: UserID
    public let createdAt: Timestamp

    public init(
        id: WorkspaceID, name: String, description: String, image: String, owner: UserID, createdAt: Timestamp
    ) {
        self.id = id
        self.name = name
        self.description = description
        self.image = image
        self.owner = owner
        self.createdAt = createdAt
    }

    public func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in writeMembers(to: &json, for: profile) }
    }

    /// Appends the members of the object without its braces, for a reply that adds lists.
    public func writeMembers(to json: inout JSONWriter, for profile: ClientProfile) {
        json.field("workspace_id", id, for: profile)
        json.field("name", name)
        json.field("description", description)
        json.field(profile.generation == .january2024 ? "thumbnail" : "coverImage", image)
        json.field("owner_id", owner, for: profile)
        json.field("createdAt", createdAt)
    }

    /// The keys of the lists in a detail.
    public static let channelsKey: StaticString = "channels"
    public static let membersKey: StaticString = "workspaceMembers"
}

extension WorkspaceView {
    private static let members: [Schema.Member] = [
        .has("workspace_id", .id), .has("name", .text), .has("description", .text),
        .has("thumbnail", .path).only(.january2024), .has("coverImage", .path).only(.july2024, .native),
        .has("owner_id", .id), .has("createdAt", .time),
    ]

    /// The form of `write` in the reference.
    public static let entity = Schema.Entity("Workspace", "A workspace.", members)
    /// The form with lists.
    public static let detail = Schema.Entity(
        "WorkspaceDetail", "A workspace with its channels and members.",
        members + [
            .has("\(channelsKey)", .list(.entity(ChannelView.entity))),
            .has("\(membersKey)", .list(.entity(MemberView.entity))),
        ])
}

public import Wire

/// A user's relation to a channel or a workspace that they can see.
public enum AccessRole: String, Sendable {
    case owner, member
    /// A member of the workspace, but not of the channel.
    case visible
}

/// A user's access to a channel, from workspace-service.
public struct ChannelAccess: Sendable, Equatable {
    public let id: ChannelID
    public let workspace: WorkspaceID
    public let name: String
    public let role: AccessRole
    /// Whether every member of the workspace is in the channel.
    public let isDefault: Bool
    /// Access with a larger version replaces access with a smaller one.
    public let version: Int64
    /// When the user joined the channel; nil for users outside it, and from older versions of the service.
    public let joinedAt: Timestamp?

    public init(
        id: ChannelID, workspace: WorkspaceID, name: String, role: AccessRole, isDefault: Bool, version: Int64,
        joinedAt: Timestamp? = nil
    ) {
        self.id = id
        self.workspace = workspace
        self.name = name
        self.role = role
        self.isDefault = isDefault
        self.version = version
        self.joinedAt = joinedAt
    }

    /// Whether the user is in the channel.
    public var isMember: Bool { role != .visible }
}

/// The role of a member in a workspace, in the order of their rights. A member moderates those with a lower role.
public enum MemberRole: String, Sendable, CaseIterable, Comparable {
    case owner, admin, member
    /// Sees only the channels that they were put in and the people there.
    case guest

    public static func < (lower: MemberRole, higher: MemberRole) -> Bool { lower.rank < higher.rank }

    private var rank: Int {
        switch self {
        case .owner: 3
        case .admin: 2
        case .member: 1
        case .guest: 0
        }
    }
}

/// A member's access to a workspace, from workspace-service.
public struct WorkspaceAccess: Sendable, Equatable {
    public let id: WorkspaceID
    public let memberRole: MemberRole
    /// Whether the member's role may delete the messages of others and answer reports.
    public let isModerator: Bool
    public let version: Int64

    public init(id: WorkspaceID, memberRole: MemberRole, isModerator: Bool, version: Int64) {
        self.id = id
        self.memberRole = memberRole
        self.isModerator = isModerator
        self.version = version
    }

    public var isOwner: Bool { memberRole == .owner }
    public var isGuest: Bool { memberRole == .guest }
}

extension ChannelAccess: WireMessage {
    public init?(_ json: JSONValue) {
        guard
            let id = json["channel_id"]?.string.flatMap(ChannelID.init),
            let workspace = json["workspace_id"]?.string.flatMap(WorkspaceID.init),
            let name = json["name"]?.string,
            let role = json["role"]?.string.flatMap(AccessRole.init),
            let isDefault = json["default"]?.bool,
            let version = json["version"]?.int
        else { return nil }
        self.init(
            id: id, workspace: workspace, name: name, role: role, isDefault: isDefault, version: Int64(version),
            joinedAt: json.timestamp("joined_at"))
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("channel_id", id.description)
            json.field("workspace_id", workspace.description)
            json.field("name", name)
            json.field("role", role.rawValue)
            json.field("default", isDefault)
            json.field("version", version)
            if let joinedAt { json.field("joined_at", joinedAt.milliseconds) }
        }
    }
}

extension WorkspaceAccess: WireMessage {
    public init?(_ json: JSONValue) {
        guard
            let id = json["workspace_id"]?.string.flatMap(WorkspaceID.init),
            let role = json["role"]?.string.flatMap(AccessRole.init),
            let version = json["version"]?.int
        else { return nil }
        // An older service names no further roles.
        let memberRole = json.string("member_role").map { MemberRole(rawValue: $0) ?? .member }
        self.init(
            id: id, memberRole: memberRole ?? (role == .owner ? .owner : .member),
            isModerator: json.bool("moderator") ?? (role == .owner), version: Int64(version))
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("workspace_id", id.description)
            // The two roles that older services know.
            json.field("role", (isOwner ? AccessRole.owner : .member).rawValue)
            json.field("version", version)
            json.field("member_role", memberRole.rawValue)
            json.field("moderator", isModerator)
        }
    }
}

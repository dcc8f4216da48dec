public import Wire

/// A DM room with its other user.
public struct RoomView: View {
    public let workspace: WorkspaceID
    public let id: DMID
    public let createdAt: Timestamp
    public let opponent: MemberView

    public init(workspace: WorkspaceID, id: DMID, createdAt: Timestamp, opponent: MemberView) {
        self.workspace = workspace
        self.id = id
        self.createdAt = createdAt
        self.opponent = opponent
    }

    public func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in
            if profile.generation == .january2024 { json.field("workspace_id", workspace, for: profile) }
            json.field("room_id", id, for: profile)
            json.field("createdAt", createdAt)
            json.field("user", opponent, for: profile)
        }
    }
}

extension RoomView {
    /// The form of `write` in the reference.
    public static let entity = Schema.Entity(
        "Room", "A DM with its other user.",
        [
            .has("workspace_id", .id).only(.january2024), .has("room_id", .id), .has("createdAt", .time),
            .has("user", .entity(MemberView.entity)),
        ])
}

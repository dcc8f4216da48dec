public import Wire

/// The standing of members of a workspace or its filtered words have changed: caches read them again.
public struct ModerationHint: Hint {
    public static let redisChannel = "invalidate:moderation"

    public let workspace: WorkspaceID

    public init(workspace: WorkspaceID) { self.workspace = workspace }

    public init?(_ json: JSONValue) {
        guard let workspace: WorkspaceID = json.textID("workspace_id") else { return nil }
        self.init(workspace: workspace)
    }

    public func write(to json: inout JSONWriter) {
        json.object { $0.field("workspace_id", workspace.description) }
    }
}

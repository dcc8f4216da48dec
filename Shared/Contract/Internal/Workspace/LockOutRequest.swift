public import Wire

/// Asks workspace-service whether a call was refused because the user is locked out: the workspace, or that of the channel,
/// requires a second factor that the user does not have.
///
/// `AccessRequest` leaves such channels and workspaces out. This request finds the reason for the client.
public struct LockOutRequest: AccessQuestion {
    public typealias Reply = LockOutReply

    public static let route = InternalRoute.idempotentPost("/internal/lock-outs")

    public let user: UserID
    public let channels: [ChannelID]
    public let workspaces: [WorkspaceID]

    public init(user: UserID, channels: [ChannelID], workspaces: [WorkspaceID]) {
        self.user = user
        self.channels = channels
        self.workspaces = workspaces
    }
}

public struct LockOutReply: WireMessage {
    /// The workspaces that the user is locked out of, among those asked for and those of the channels that they are in.
    public let workspaces: [WorkspaceID]

    public init(workspaces: [WorkspaceID]) { self.workspaces = workspaces }

    public init?(_ json: JSONValue) {
        guard let workspaces: [WorkspaceID] = json.textIDs("ids") else { return nil }
        self.init(workspaces: workspaces)
    }

    public func write(to json: inout JSONWriter) { json.object { $0.field("ids", workspaces.map(\.description)) } }
}

public import Wire

/// Asks auth-service for the account of a bot of a workspace. The first call with a key makes it, and a later one renames it.
/// 404 if the workspace has been deleted.
public struct BotRequest: InternalRequest {
    public typealias Reply = BotReply

    public static let route = InternalRoute.idempotentPost("/internal/bots")

    public let workspace: WorkspaceID
    /// The caller's name for the bot, unique in the workspace. At most 64 bytes.
    public let key: String
    public let nickname: String

    public init(workspace: WorkspaceID, key: String, nickname: String) {
        self.workspace = workspace
        self.key = key
        self.nickname = nickname
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(
            workspace: try request.memberID("workspace_id"), key: try request.memberText("key"),
            nickname: try request.memberText("nickname"))
    }

    public func write(to request: inout InternalRequestWriter) {
        request.body { json in
            json.field("workspace_id", workspace.description)
            json.field("key", key)
            json.field("nickname", nickname)
        }
    }
}

public struct BotReply: WireMessage {
    public let user: UserID

    public init(user: UserID) { self.user = user }

    public init?(_ json: JSONValue) {
        guard let user: UserID = json.textID("user_id") else { return nil }
        self.init(user: user)
    }

    public func write(to json: inout JSONWriter) { json.object { $0.field("user_id", user.description) } }
}

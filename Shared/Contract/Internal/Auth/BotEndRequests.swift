public import Wire

/// Ends a token of a bot at once, or gives it another secret. 404 if the bot has no such token.
public struct EndBotTokenRequest: InternalRequest {
    public typealias Reply = BotTokenReply

    public static let route = InternalRoute.post("/internal/bots/{user}/tokens/{token}/end")

    public let bot: UserID
    public let token: Int64
    /// The secret after a rotation; nil to end the token.
    public let secret: BotTokenSecret?

    public init(bot: UserID, token: Int64, secret: BotTokenSecret?) {
        self.bot = bot
        self.token = token
        self.secret = secret
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        let token: ID<BotTokenReply> = try request.id("token")
        self.init(
            bot: try request.id("user"), token: token.rawValue,
            secret: request.member("hash") == nil ? nil : try BotTokenSecret(reading: request))
    }

    public func write(to request: inout InternalRequestWriter) {
        request.parameter(bot)
        request.parameter(token)
        request.body { json in secret?.write(to: &json) }
    }
}

/// Ends a bot of a workspace with all its tokens. Ending a former bot is not an error.
public struct EndBotRequest: InternalRequest {
    public typealias Reply = EmptyReply

    public static let route = InternalRoute.idempotentPost("/internal/bots/{user}/end")

    public let bot: UserID
    public let workspace: WorkspaceID

    public init(bot: UserID, workspace: WorkspaceID) {
        self.bot = bot
        self.workspace = workspace
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(bot: try request.id("user"), workspace: try request.memberID("workspace_id"))
    }

    public func write(to request: inout InternalRequestWriter) {
        request.parameter(bot)
        request.body { $0.field("workspace_id", workspace.description) }
    }
}

extension Set<BotScope> {
    /// The names in the order of the enumeration.
    public var names: [String] { BotScope.allCases.filter(contains).map(\.rawValue) }
}

extension InternalRequestReader {
    func memberDigest(_ name: StaticString) throws(Failure) -> [UInt8] {
        guard let bytes = Hexadecimal.decode(try memberText(name).utf8.span), bytes.count == 32 else {
            throw .invalid("\(name) is not valid.")
        }
        return bytes
    }
}

public import Wire

/// Asks auth-service for the bot of a token. A token that does not exist, or that has ended, is 404.
public struct BotIdentityRequest: InternalRequest {
    public typealias Reply = BotIdentity

    public static let route = InternalRoute.idempotentPost("/internal/bots/identity")

    /// The digest of the token's secret.
    public let hash: [UInt8]

    public init(hash: [UInt8]) { self.hash = hash }

    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(hash: try request.memberDigest("hash"))
    }

    public func write(to request: inout InternalRequestWriter) {
        request.body { $0.field("hash", Hexadecimal.encode(hash.span)) }
    }
}

/// The bot that a token belongs to.
public struct BotIdentity: WireMessage {
    public let user: UserID
    /// Ends with the token.
    public let session: SessionID
    /// The client profile under which the token was made.
    public let profile: String
    public let scopes: Set<BotScope>

    public init(user: UserID, session: SessionID, profile: String, scopes: Set<BotScope>) {
        self.user = user
        self.session = session
        self.profile = profile
        self.scopes = scopes
    }

    public init?(_ json: JSONValue) {
        guard let user: UserID = json.textID("user_id"), let session: SessionID = json.textID("session"),
            let profile = json.string("profile"), let scopes = json["scopes"]?.array(\.string)
        else { return nil }
        self.init(user: user, session: session, profile: profile, scopes: Set(scopes.compactMap(BotScope.init)))
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("user_id", user.description)
            json.field("session", session.description)
            json.field("profile", profile)
            json.field("scopes", scopes.names)
        }
    }
}

/// Makes a token of a bot. 404 if the workspace has no such bot, E11 if the bot has too many tokens.
public struct NewBotTokenRequest: InternalRequest {
    public typealias Reply = BotTokenReply

    public static let route = InternalRoute.post("/internal/bots/{user}/tokens")

    public let bot: UserID
    public let workspace: WorkspaceID
    public let maker: UserID
    public let name: String
    public let scopes: Set<BotScope>
    /// The client profile of the maker's app.
    public let profile: String
    public let secret: BotTokenSecret
    /// The most tokens of the bot, this one included; nil for no limit.
    public let limit: Int?

    public init(
        bot: UserID, workspace: WorkspaceID, maker: UserID, name: String, scopes: Set<BotScope>, profile: String,
        secret: BotTokenSecret, limit: Int?
    ) {
        self.bot = bot
        self.workspace = workspace
        self.maker = maker
        self.name = name
        self.scopes = scopes
        self.profile = profile
        self.secret = secret
        self.limit = limit
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(
            bot: try request.id("user"), workspace: try request.memberID("workspace_id"),
            maker: try request.memberID("maker"), name: try request.memberText("name"),
            scopes: Set(try request.memberTexts("scopes").compactMap(BotScope.init)),
            profile: try request.memberText("profile"), secret: try BotTokenSecret(reading: request),
            limit: request.member("limit")?.int)
    }

    public func write(to request: inout InternalRequestWriter) {
        request.parameter(bot)
        request.body { json in
            json.field("workspace_id", workspace.description)
            json.field("maker", maker.description)
            json.field("name", name)
            json.field("scopes", scopes.names)
            json.field("profile", profile)
            secret.write(to: &json)
            if let limit { json.field("limit", limit) }
        }
    }
}

/// The parts of a token's secret that the server keeps.
public struct BotTokenSecret: Sendable, Equatable {
    public let hash: [UInt8]
    /// The first characters, by which people tell tokens apart.
    public let prefix: String

    public init(hash: [UInt8], prefix: String) {
        self.hash = hash
        self.prefix = prefix
    }

    init(reading request: InternalRequestReader) throws(Failure) {
        self.init(hash: try request.memberDigest("hash"), prefix: try request.memberText("prefix"))
    }

    func write(to json: inout JSONWriter) {
        json.field("hash", Hexadecimal.encode(hash.span))
        json.field("prefix", prefix)
    }
}

/// Lists the tokens of a bot.
public struct BotTokensRequest: InternalRequest {
    public typealias Reply = BotTokensReply

    public static let route = InternalRoute.get("/internal/bots/{user}/tokens")

    public let bot: UserID

    public init(bot: UserID) { self.bot = bot }

    public init(reading request: InternalRequestReader) throws(Failure) { self.init(bot: try request.id("user")) }

    public func write(to request: inout InternalRequestWriter) { request.parameter(bot) }
}

public struct BotTokensReply: WireMessage {
    public let tokens: [BotTokenReply]

    public init(tokens: [BotTokenReply]) { self.tokens = tokens }

    public init?(_ json: JSONValue) {
        guard json["tokens"]?.kind == .array else { return nil }
        self.init(tokens: json.list("tokens"))
    }

    public func write(to json: inout JSONWriter) { json.object { $0.field("tokens", tokens) } }
}

/// A token of a bot, without its secret.
public struct BotTokenReply: WireMessage {
    public let id: Int64
    public let name: String
    public let prefix: String
    public let scopes: Set<BotScope>
    public let createdAt: Timestamp
    /// To half a minute; nil for a token that was not used.
    public let usedAt: Timestamp?

    public init(
        id: Int64, name: String, prefix: String, scopes: Set<BotScope>, createdAt: Timestamp, usedAt: Timestamp?
    ) {
        self.id = id
        self.name = name
        self.prefix = prefix
        self.scopes = scopes
        self.createdAt = createdAt
        self.usedAt = usedAt
    }

    public init?(_ json: JSONValue) {
        guard let id = json["id"]?.int, let name = json.string("name"), let prefix = json.string("prefix"),
            let scopes = json["scopes"]?.array(\.string), let createdAt = json.timestamp("created_at")
        else { return nil }
        self.init(
            id: Int64(id), name: name, prefix: prefix, scopes: Set(scopes.compactMap(BotScope.init)),
            createdAt: createdAt, usedAt: json.timestamp("used_at"))
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("id", id)
            json.field("name", name)
            json.field("prefix", prefix)
            json.field("scopes", scopes.names)
            json.field("created_at", createdAt.milliseconds)
            if let usedAt { json.field("used_at", usedAt.milliseconds) }
        }
    }
}

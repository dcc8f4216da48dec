public import Wire

/// The internal API of auth-service.
public struct AuthClient: Sendable {
    private let client: InternalClient

    public init(_ client: InternalClient) { self.client = client }

    /// The profiles of the users that exist.
    public func profiles(of users: [UserID]) async throws -> [Profile] {
        if users.isEmpty { return [] }
        return try await client.send(ProfilesRequest(users: users)).profiles
    }

    /// The profile of the account with this email; the caller need not spell it as the account does.
    public func profile(ofEmail email: String) async throws -> Profile? {
        try await client.send(ProfilesByEmailRequest(emails: [email])).matches.first?.profile
    }

    /// The device tokens of users, for pushes.
    public func devices(of users: [UserID]) async throws -> [Device] {
        if users.isEmpty { return [] }
        return try await client.send(DevicesRequest(users: users)).devices
    }

    /// Deletes a device token that the push provider has rejected for good.
    public func prune(_ token: String) async throws { _ = try await client.send(PruneDeviceRequest(token: token)) }

    /// Whether the deployment sends mail.
    public func sendsMail() async throws -> Bool { try await client.send(MailStatusRequest()).isSetUp }

    /// The public keys of all tokens that may still be valid, as a JWKS.
    public func keySet() async throws -> JSONValue { try await client.send(KeysRequest()).jwks }

    /// The revocations since a time by auth-service's clock.
    public func revocationPage(since: Timestamp) async throws -> RevocationsReply {
        try await client.send(RevocationsRequest(since: since))
    }

    /// Reports that a service has erased its data of a deleted account.
    public func erased(_ deletion: UserDeletion, by part: ErasurePart) async throws {
        _ = try await client.send(ErasedRequest(user: deletion.user, part: part, round: deletion.round))
    }

    /// The spellings of the email of a deleted account; none once everything is erased, or if the account was not deleted.
    public func addresses(ofDeleted user: UserID) async throws -> [String] {
        do {
            return try await client.send(ErasureRequest(user: user)).addresses
        } catch let failure as Failure where failure.code == .notFound {
            return []
        }
    }

    /// Mails a notice to the owner of an account.
    public func notify(_ notice: NoticeRequest) async throws { _ = try await client.send(notice) }

    /// The account of a bot, made or renamed.
    public func bot(_ request: BotRequest) async throws -> UserID { try await client.send(request).user }

    /// The bot of a token, by the digest of its secret; nil if there is none.
    public func bot(of hash: [UInt8]) async throws -> BotIdentity? {
        do {
            return try await client.send(BotIdentityRequest(hash: hash))
        } catch let failure as Failure where failure.code == .notFound {
            return nil
        }
    }

    /// A fresh token of a bot.
    public func token(_ request: NewBotTokenRequest) async throws -> BotTokenReply { try await client.send(request) }

    /// The tokens of a bot in the order of their making.
    public func tokens(ofBot bot: UserID) async throws -> [BotTokenReply] {
        try await client.send(BotTokensRequest(bot: bot)).tokens
    }

    /// Ends a token of a bot, or gives it another secret.
    public func end(_ request: EndBotTokenRequest) async throws -> BotTokenReply { try await client.send(request) }

    /// Ends a bot with all its tokens.
    public func end(_ request: EndBotRequest) async throws { _ = try await client.send(request) }

    /// The users among these that have a second factor.
    public func users(withSecondFactorAmong users: [UserID]) async throws -> [UserID] {
        if users.isEmpty { return [] }
        return try await client.send(SecondFactorsRequest(users: users)).users
    }

    /// The users among these that an operator has disabled, or that have deleted their account.
    public func disabledUsers(among users: [UserID]) async throws -> [UserID] {
        if users.isEmpty { return [] }
        return try await client.send(DisabledRequest(users: users)).users
    }

    /// A piece of a portrait; nil if it is gone.
    public func piece(ofPortrait path: String, from offset: Int64) async throws -> ExportFilePiece? {
        try await client.piece(ofPicture: path, from: offset)
    }

    /// The blocks of users, in both directions; users without any are missing.
    public func blocks(of users: [UserID]) async throws -> [Blocks] {
        if users.isEmpty { return [] }
        return try await client.send(BlocksRequest(users: users)).blocks
    }
}

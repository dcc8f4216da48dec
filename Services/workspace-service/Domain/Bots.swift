import Contract
import Crypto
import EventLoop
import Postgres
import ServiceKit
import Wire

/// Makes and ends the bots of a workspace and their tokens, for its owner and admins.
///
/// auth-service has the accounts and tokens. Each change has an entry in the audit log.
struct Bots: Sendable {
    let workspaces: Workspaces
    let store: BotStore
    let auth: AuthClient
    let chat: ChatClient
    let profiles: ProfileCache
    /// Bots are made on these loops.
    let loops: EventLoopGroup
    let limits: BotLimits

    private static let tooMany = Failure.invalid("The workspace has too many bots.")
    private static let isMuted = Failure(.notAllowed, "You are muted or suspended in this workspace.")
    private static let isGone = Failure.invalid("The bot is not in the workspace any more.")

    /// A token with its text, which is shown once.
    typealias Fresh = (token: BotTokenReply, text: String)

    func list(_ id: WorkspaceID, for user: UserID) async throws -> [(bot: Bot, profile: MemberView)] {
        try await workspaces.require(.manageBots, of: user, in: id)
        let found = try await store.list(id)
        let known = try await profiles.members(found.map(\.user))
        return found.compactMap { bot in known[bot.user].map { (bot, $0) } }
    }

    func create(
        _ name: String, in id: WorkspaceID, by user: UserID, from origin: AuditOrigin
    ) async throws -> (bot: Bot, profile: MemberView) {
        try await workspaces.require(.manageBots, of: user, in: id)
        let name = try NameRules.name(name)
        try await requireWriting(user, in: id)
        guard try await store.list(id).count < limits.ofWorkspace else { throw Self.tooMany }
        // The task of a client that has gone is cancelled, and makes no call that would end the account.
        let bot = try await Task(executorPreference: loops.nearest) {
            try await make(name, in: id, by: user, from: origin)
        }.value
        workspaces.facts.hint(id, user: bot.user)
        workspaces.facts.tell(.entered, of: id, .member(bot.user, of: nil))
        return (bot, try await profiles.member(bot.user))
    }

    /// Makes the account of a bot, and the bot a member. An account without a bot is ended.
    private func make(
        _ name: String, in id: WorkspaceID, by user: UserID, from origin: AuditOrigin
    ) async throws -> Bot {
        let key = "bot-" + Hexadecimal.encode(SecureRandom.bytes(12).span)
        let account = try await auth.bot(BotRequest(workspace: id, key: key, nickname: name))
        let bot = Bot(user: account, createdBy: user, createdAt: .now)
        do {
            try await enter(bot, in: id, by: user, from: origin)
        } catch  where !error.mayHaveCommitted {
            // No workspace lists the account, so nobody else could end it.
            try? await auth.end(EndBotRequest(bot: account, workspace: id))
            throw error
        }
        return bot
    }

    private func enter(_ bot: Bot, in id: WorkspaceID, by user: UserID, from origin: AuditOrigin) async throws {
        try await workspaces.changing(id, by: user) { workspace, role, tx in
            try Policy.require(.manageBots, of: role)
            // Others may have made bots since the first look.
            let isNew = try await store.insert(
                bot.user, in: id, by: user, at: bot.createdAt, atMost: limits.ofWorkspace, tx)
            guard isNew else { throw Self.tooMany }
            try await workspaces.admit(bot.user, to: workspace, in: tx)
            try await workspaces.audit.record(
                AuditEvent(.botCreated, by: user, to: bot.user, from: origin), of: id, in: tx)
        }
    }

    /// Ends a bot and its tokens. Its messages stay, and its channels pass to the owner of the workspace.
    func delete(_ bot: UserID, from id: WorkspaceID, by user: UserID, origin: AuditOrigin) async throws {
        try await require(bot, in: id, by: user)
        // A second attempt finds the row if the transaction fails.
        try await auth.end(EndBotRequest(bot: bot, workspace: id))
        let (owner, isGone, passedOn) = try await workspaces.changing(id, by: user) { workspace, role, tx in
            try Policy.require(.manageBots, of: role)
            let isMember = try await workspaces.members.role(of: bot, in: id, in: tx) != .outsider
            let passedOn = try await isMember ? workspaces.expel(bot, from: workspace, by: user, in: tx) : []
            try await store.delete(bot, in: id, tx)
            try await workspaces.audit.record(
                AuditEvent(.botDeleted, by: user, to: bot, from: origin), of: id, in: tx)
            return (workspace.owner, isMember, passedOn)
        }
        if isGone { workspaces.facts.tell(.gone, of: id, .member(bot, of: nil)) }
        workspaces.facts.tellOwner(of: passedOn)
        workspaces.facts.hint(id)
        if let owner { workspaces.facts.hint(id, user: owner) }
    }

    // MARK: Tokens

    func tokens(of bot: UserID, in id: WorkspaceID, for user: UserID) async throws -> [BotTokenReply] {
        try await require(bot, in: id, by: user)
        return try await auth.tokens(ofBot: bot)
    }

    /// - Parameter app: the client profile of the maker's app.
    func makeToken(
        _ name: String, _ scopes: [String], of bot: UserID, in id: WorkspaceID, by user: UserID,
        from origin: AuditOrigin
    ) async throws -> Fresh {
        try await require(bot, in: id, by: user)
        let name = try NameRules.name(name)
        let known = scopes.compactMap(BotScope.init)
        guard !known.isEmpty, known.count == scopes.count else {
            throw Failure.invalid("scopes must be among \(BotScope.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        try await requireWriting(user, in: id)
        guard try await workspaces.members.role(of: bot, in: id) != .outsider else { throw Self.isGone }
        guard try await auth.tokens(ofBot: bot).count < limits.tokens else {
            throw Failure.invalid("The bot has too many tokens.")
        }
        let detail = ["scopes": Set(known).names.joined(separator: " ")]
        try await record(.botTokenCreated, bot, in: id, by: user, detail: detail, from: origin)
        let secret = BearerSecret()
        let token = try await auth.token(
            NewBotTokenRequest(
                bot: bot, workspace: id, maker: user, name: name, scopes: Set(known), profile: origin.app,
                secret: BotTokenSecret(secret), limit: limits.tokens))
        // A removal meanwhile ended only the tokens from before. If this one cannot be ended, nobody knows its secret.
        guard try await workspaces.members.role(of: bot, in: id) != .outsider else {
            _ = try? await auth.end(EndBotTokenRequest(bot: bot, token: token.id, secret: nil))
            throw Self.isGone
        }
        return (token, BotToken.text(of: secret))
    }

    /// Gives a token another secret. The old one ends at once.
    func rotate(
        _ token: Int64, of bot: UserID, in id: WorkspaceID, by user: UserID, from origin: AuditOrigin
    ) async throws -> Fresh {
        let secret = BearerSecret()
        try await require(token, of: bot, in: id, by: user)
        try await requireWriting(user, in: id)
        try await record(.botTokenRotated, bot, in: id, by: user, detail: ["token": "\(token)"], from: origin)
        let request = EndBotTokenRequest(bot: bot, token: token, secret: BotTokenSecret(secret))
        return (try await auth.end(request), BotToken.text(of: secret))
    }

    /// Ends a token at once.
    func revoke(
        _ token: Int64, of bot: UserID, in id: WorkspaceID, by user: UserID, from origin: AuditOrigin
    ) async throws {
        try await require(token, of: bot, in: id, by: user)
        try await record(.botTokenRevoked, bot, in: id, by: user, detail: ["token": "\(token)"], from: origin)
        _ = try await auth.end(EndBotTokenRequest(bot: bot, token: token, secret: nil))
    }

    private func require(_ token: Int64, of bot: UserID, in id: WorkspaceID, by user: UserID) async throws {
        guard try await tokens(of: bot, in: id, for: user).contains(where: { $0.id == token }) else {
            throw Failure.notFound
        }
    }

    private func require(_ bot: UserID, in id: WorkspaceID, by user: UserID) async throws {
        try await workspaces.require(.manageBots, of: user, in: id)
        guard try await workspaces.members.isBot(bot, in: id, of: store.database) else { throw Failure.notFound }
    }

    /// Throws E14 for a muted or suspended user: they would write by the bot.
    private func requireWriting(_ user: UserID, in id: WorkspaceID) async throws {
        guard try await chat.mayWrite(user, in: id) else { throw Self.isMuted }
    }

    private func record(
        _ action: AuditAction, _ bot: UserID, in id: WorkspaceID, by user: UserID, detail: [String: String],
        from origin: AuditOrigin
    ) async throws {
        try await workspaces.changing(id, by: user) { _, role, tx in
            try Policy.require(.manageBots, of: role)
            try await workspaces.audit.record(
                AuditEvent(action, by: user, to: bot, detail: detail, from: origin), of: id, in: tx)
        }
    }
}

extension BotTokenSecret {
    fileprivate init(_ secret: BearerSecret) { self.init(hash: secret.hash, prefix: BotToken.hint(of: secret)) }
}

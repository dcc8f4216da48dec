import Contract
import Crypto
import Postgres
import ServiceKit
import Wire

/// Makes, renames and ends the accounts of bots. They have no password and no provider, so nobody signs in to them.
struct Bots: Sendable {
    let store: BotStore
    let tokens: BotTokens
    let facts: AccountFactPublisher

    /// Bytes of a key.
    private static let longestKey = 64
    private static let formerNickname = "(삭제된 봇)"

    /// Makes the bot with this key, or renames it.
    func put(_ key: String, in workspace: WorkspaceID, nickname: String) async throws -> Account {
        guard (1...Self.longestKey).contains(key.utf8.count) else { throw Failure.invalid("key is not valid.") }
        let nickname = try ProfileRules.nickname(nickname.nfc)
        // The domain belongs to nobody, and the name is random: nobody takes the address before the bot does.
        let address = "bot-\(Hexadecimal.encode(SecureRandom.bytes(12).span))@bots.invalid"
        let account = try await facts.outbox.transaction { tx in
            let account = try await store.put(
                key, in: workspace, nickname: nickname, address: address, at: .now, in: tx)
            guard let account else { throw Failure.notFound }
            try await facts.changed(account, in: tx)
            return account
        }
        facts.hint(account)
        return account
    }

    /// Ends the bots of a deleted workspace.
    func close(of workspace: WorkspaceID) async throws {
        try await close { now, tx in
            try await store.close(of: workspace, nickname: Self.formerNickname, at: now, in: tx)
        }
    }

    /// Ends a bot with its tokens. Repeating it changes nothing.
    func end(_ bot: UserID, of workspace: WorkspaceID) async throws {
        try await close { now, tx in
            try await store.close(bot, of: workspace, nickname: Self.formerNickname, at: now, in: tx)
        }
    }

    /// Ends the tokens of a bot that was removed or banned from its workspace, or has left it. Does nothing for other users.
    func endTokens(of bot: UserID, in workspace: WorkspaceID) async throws {
        let now = Timestamp.now
        tokens.publish(try await tokens.store.endAll(of: bot, in: workspace, at: now), of: bot, at: now)
    }

    private func close(_ mark: (Timestamp, PostgresTransaction) async throws -> [Account]) async throws {
        let now = Timestamp.now
        let closed = try await facts.outbox.transaction { tx in
            var closed: [(bot: Account, sessions: [SessionID])] = []
            for bot in try await mark(now, tx) {
                closed.append((bot, try await tokens.store.endAll(of: bot.id, at: now, in: tx)))
                try await facts.changed(bot, in: tx)
            }
            return closed
        }
        for (bot, sessions) in closed {
            tokens.publish(sessions, of: bot.id, at: now)
            facts.hint(bot)
        }
    }
}

import Contract
import Postgres
import ServiceKit
import Wire

/// Makes, lists and ends the tokens of bots. An ended token is refused everywhere within a second, as an ended session is.
struct BotTokens: Sendable {
    let store: BotTokenStore
    let publisher: RevocationPublisher

    /// - Throws: E13 if the workspace has no such bot, E11 if the bot has as many tokens as the request allows.
    func make(_ request: NewBotTokenRequest) async throws -> BotTokenReply {
        try await store.transaction { tx in
            guard try await store.lock(request.bot, of: request.workspace, in: tx) else { throw Failure.notFound }
            // Counted under the lock, because others may make tokens of the bot at the same time.
            if let limit = request.limit {
                guard try await store.count(of: request.bot, in: tx) < limit else {
                    throw Failure.invalid("The bot has too many tokens.")
                }
            }
            return try await store.insert(request, at: .now, in: tx)
        }
    }

    /// Ends a token, or gives it another secret.
    func end(_ request: EndBotTokenRequest) async throws -> BotTokenReply {
        let now = Timestamp.now
        let ended =
            if let secret = request.secret {
                try await store.rotate(request.token, of: request.bot, to: secret, at: now)
            } else {
                try await store.end(request.token, of: request.bot, at: now)
            }
        guard let ended else { throw Failure.notFound }
        publish([ended.session], of: request.bot, at: now)
        return ended.token
    }

    func publish(_ ended: [SessionID], of bot: UserID, at now: Timestamp) {
        for session in ended { publisher.publish(Revocation(session: session, user: bot, at: now)) }
    }
}

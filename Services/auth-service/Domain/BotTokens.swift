import Contract
import ServiceKit
import Wire

/// Makes, lists and ends the tokens of bots. An ended token is refused everywhere within a second, as an ended session is.
struct BotTokens: Sendable {
    let store: BotTokenStore
    let publisher: RevocationPublisher

    func make(_ request: NewBotTokenRequest) async throws -> BotTokenReply {
        guard let token = try await store.insert(request, at: .now) else { throw Failure.notFound }
        return token
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

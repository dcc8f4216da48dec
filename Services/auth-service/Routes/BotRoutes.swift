import Contract
import ServiceKit
import Wire

/// Bots and their tokens for the other services.
struct BotRoutes: Sendable {
    let bots: Bots

    func registerInternal(in routes: inout InternalRoutes) {
        routes.add(BotRequest.self, put)
        routes.add(BotIdentityRequest.self, identity)
        routes.add(NewBotTokenRequest.self, bots.tokens.make)
        routes.add(BotTokensRequest.self, tokens)
        routes.add(EndBotTokenRequest.self, bots.tokens.end)
        routes.add(EndBotRequest.self, end)
    }

    func put(_ request: BotRequest) async throws -> BotReply {
        BotReply(user: try await bots.put(request.key, in: request.workspace, nickname: request.nickname).id)
    }

    func identity(_ request: BotIdentityRequest) async throws -> BotIdentity {
        guard let bot = try await bots.tokens.store.use(request.hash, at: .now) else { throw Failure.notFound }
        return bot
    }

    func tokens(_ request: BotTokensRequest) async throws -> BotTokensReply {
        BotTokensReply(tokens: try await bots.tokens.store.list(of: request.bot))
    }

    func end(_ request: EndBotRequest) async throws -> EmptyReply {
        try await bots.end(request.bot, of: request.workspace)
        return EmptyReply()
    }
}

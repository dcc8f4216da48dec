import Contract
import ServiceKit

/// Bots for the other services.
struct BotRoutes: Sendable {
    let bots: Bots

    func registerInternal(in routes: inout InternalRoutes) { routes.add(BotRequest.self, put) }

    func put(_ request: BotRequest) async throws -> BotReply {
        BotReply(user: try await bots.put(request.key, in: request.workspace, nickname: request.nickname).id)
    }
}

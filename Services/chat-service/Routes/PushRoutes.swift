import Contract
import ServiceKit

/// The internal routes for pushes and badges, which gateways call.
struct PushRoutes: Sendable {
    let decisions: PushDecisions
    let badges: Badges

    func register(in routes: inout InternalRoutes) {
        routes.add(PushDecisionsRequest.self, decide)
        routes.add(BadgesRequest.self, count)
    }

    func decide(_ request: PushDecisionsRequest) async throws -> PushDecisionsReply {
        try await decisions.decide(request)
    }

    func count(_ request: BadgesRequest) async throws -> BadgesReply {
        try await badges.count(request.users)
    }
}

import Contract
import ServiceKit

/// The internal route for pushes, which gateways call.
struct PushRoutes: Sendable {
    let decisions: PushDecisions

    func register(in routes: inout InternalRoutes) {
        routes.add(PushDecisionsRequest.self, decide)
    }

    func decide(_ request: PushDecisionsRequest) async throws -> PushDecisionsReply {
        try await decisions.decide(request)
    }
}

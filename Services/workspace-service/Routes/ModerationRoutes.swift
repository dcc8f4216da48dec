import Contract
import ServiceKit

/// The internal route by which chat-service removes members after a report.
struct ModerationRoutes: Sendable {
    let removals: ReportRemovals

    func register(in routes: inout InternalRoutes) { routes.add(ModerationRemovalRequest.self, remove) }

    func remove(_ request: ModerationRemovalRequest) async throws -> EmptyReply {
        try await removals.remove(request.user, from: request.workspace, by: request.owner)
        return EmptyReply()
    }
}

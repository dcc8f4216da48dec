import Contract
import ServiceKit

/// Tells chat-service which members of a room are present, for mentions by `@here`.
struct PresenceRoutes: Sendable {
    let members: PresentMembers

    func register(in routes: inout InternalRoutes) { routes.add(PresentMembersRequest.self, find) }

    func find(_ request: PresentMembersRequest) async throws -> UsersReply {
        UsersReply(users: try await members.find(among: request.users, in: request.room))
    }
}

import Contract
import EventLoop
import ServiceKit
import Wire

/// Knows the users that an operator has disabled and those with a deleted account, by asking auth-service each time: a stale
/// answer would send in the name of a user that is kept out. Messages that are due together share a call.
struct DisabledUsers: Sendable {
    private let reads: GatheredReads<UserID, Bool>

    init(_ auth: AuthClient, on loops: EventLoopGroup) {
        reads = GatheredReads(on: loops) { users in
            Dictionary(try await auth.disabledUsers(among: users).map { ($0, true) }) { first, _ in first }
        }
    }

    func contains(_ user: UserID) async throws -> Bool { try await reads.value(of: user) ?? false }
}

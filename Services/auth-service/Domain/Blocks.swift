import Contract
import Wire

/// Lets users keep others from reaching them. The blocked user is told nothing.
struct Blocks: Sendable {
    let store: BlockStore
    let publisher: BlockPublisher
    let workspaces: WorkspaceClient
    /// The blocks of one account.
    let limit: Int

    /// Blocks a user; blocking one again changes nothing. The list of blocks shows profiles, so strangers cannot be blocked:
    /// they cannot reach the account either.
    func block(_ blocked: UserID, by account: UserID) async throws {
        guard blocked != account else { throw Failure.invalid("You cannot block yourself.") }
        guard try await !workspaces.acquaintances(of: account, among: [blocked]).isEmpty else { throw Failure.notFound }
        switch try await store.insert(blocked, by: account, limit: limit, at: .now) {
        case .unknown: throw Failure.notFound
        case .full: throw Failure.invalid("You have blocked too many users.")
        case .blocked: publisher.changed(account, blocked)
        }
    }

    /// Ends a block; without one nothing changes. The hint is sent in any case: an earlier call may have ended the block, and then failed
    /// before it told anybody.
    func unblock(_ blocked: UserID, by account: UserID) async throws {
        try await store.delete(blocked, by: account)
        publisher.changed(account, blocked)
    }
}

import Contract
import ServiceKit
import Wire

/// Limits invitations by email, each of which tells whether the address has an account. An instance counts its own, in
/// memory.
final class InvitationLimits: Sendable {
    private let users: BucketTable<UserID>
    private let workspaces: BucketTable<WorkspaceID>

    private static let hour = 3600.0

    /// - Parameters:
    ///   - perUser: invitations by one user in an hour, also all at once.
    ///   - perWorkspace: the same for one workspace.
    init(perUser: Int, perWorkspace: Int) {
        users = BucketTable(rate: Double(perUser) / Self.hour, burst: Double(perUser))
        workspaces = BucketTable(rate: Double(perWorkspace) / Self.hour, burst: Double(perWorkspace))
    }

    /// Counts an invitation; throws if the user or the workspace has none left.
    func admit(_ user: UserID, to workspace: WorkspaceID) throws(Failure) {
        if let wait = users.take(user) ?? workspaces.take(workspace) { throw .tooManyCalls(retryAfter: wait) }
    }
}

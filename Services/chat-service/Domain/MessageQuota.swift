import Contract
import ServiceKit
import Wire

/// Limits the messages of users and workspaces in a day. The counts are in memory, so that a send costs no query.
struct MessageQuota: Sendable {
    private let users: BucketTable<UserID>
    private let workspaces: BucketTable<WorkspaceID>

    private static let day = 86_400.0

    init(ofUser: Int, ofWorkspace: Int) {
        users = BucketTable(rate: Double(ofUser) / Self.day, burst: Double(ofUser))
        workspaces = BucketTable(rate: Double(ofWorkspace) / Self.day, burst: Double(ofWorkspace))
    }

    /// Counts a message; throws if there were too many.
    func take(_ user: UserID, _ workspace: WorkspaceID) throws(Failure) {
        if let wait = users.take(user) ?? workspaces.take(workspace) { throw .tooManyCalls(retryAfter: wait) }
    }
}

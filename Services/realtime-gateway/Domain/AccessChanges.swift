import Wire

/// Counts changes of access. An answer about a user from before the last change that concerns the user may be outdated.
struct AccessChanges {
    /// The changes up to a moment.
    struct Mark {
        fileprivate let ofAll: Int
        fileprivate let ofUser: Int
        fileprivate let inWorkspaces: Int
    }

    private var ofAll = 0
    private var byUser: [UserID: Int] = [:]
    private var inWorkspaces = 0
    /// The number of each workspace's last change.
    private var byWorkspace: [WorkspaceID: Int] = [:]

    private let mostNamed: Int

    /// - Parameter mostNamed: users, and workspaces, that are counted by themselves.
    init(mostNamed: Int = 4096) { self.mostNamed = mostNamed }

    /// Something has changed for a user, or for all users if that is nil.
    mutating func note(_ user: UserID?) {
        guard let user else { return ofAll += 1 }
        if byUser.count >= mostNamed, byUser[user] == nil {
            // A forgotten count counts as a change.
            byUser = [:]
            ofAll += 1
        }
        byUser[user, default: 0] += 1
    }

    /// Something has changed for any members of a workspace.
    mutating func note(in workspace: WorkspaceID) {
        if byWorkspace.count >= mostNamed, byWorkspace[workspace] == nil {
            byWorkspace = [:]
            ofAll += 1
        }
        inWorkspaces += 1
        byWorkspace[workspace] = inWorkspaces
    }

    func mark(of user: UserID) -> Mark {
        Mark(ofAll: ofAll, ofUser: byUser[user] ?? 0, inWorkspaces: inWorkspaces)
    }

    /// Whether nothing has changed since a mark for an answer about the user that names these workspaces. A change that adds a
    /// workspace to the answer always names the user.
    func holds(_ mark: Mark, of user: UserID, in workspaces: some Sequence<WorkspaceID>) -> Bool {
        mark.ofAll == ofAll && mark.ofUser == byUser[user] ?? 0
            && workspaces.allSatisfy { byWorkspace[$0] ?? 0 <= mark.inWorkspaces }
    }
}

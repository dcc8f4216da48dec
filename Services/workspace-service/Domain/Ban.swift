import Contract
import Wire

/// A user who may not come back to a workspace.
struct Ban: Sendable {
    let user: UserID
    /// Nil once the account of the moderator is deleted.
    let bannedBy: UserID?
    let bannedAt: Timestamp
}

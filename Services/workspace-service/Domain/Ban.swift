import Contract
import Wire

/// Keeps a user from coming back to a workspace.
struct Ban: Sendable {
    let user: UserID
    /// Nil for an operator, and once the account of the moderator is deleted.
    let bannedBy: UserID?
    let bannedAt: Timestamp
}

import Contract
import Wire

/// An account as operators see it.
struct OperatorAccount: Sendable {
    /// The ways into the account.
    struct Access: Sendable {
        /// Open ones.
        let sessions: Int
        let devices: Int
        let hasSecondFactor: Bool
    }

    let id: UserID
    let email: String
    let nickname: String
    let phone: String?
    let provider: String?
    let isEmailVerified: Bool
    let language: String?
    let createdAt: Timestamp
    let disabledAt: Timestamp?
    let deletedAt: Timestamp?
    let mailBouncedAt: Timestamp?
    /// Nil in lists.
    var access: Access?

    /// Whether the user may sign in.
    var state: String { deletedAt != nil ? "deleted" : disabledAt != nil ? "disabled" : "active" }
}

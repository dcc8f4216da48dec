import Contract
import Wire

/// One sign-in of a user on a device. Tokens are bound to it, and it can be revoked.
struct Session: Sendable, Equatable {
    let id: SessionID
    let account: UserID
    /// The name of the client profile that opened it.
    let profile: String
    let createdAt: Timestamp
    let expiresAt: Timestamp
    let revokedAt: Timestamp?

    func isOpen(at moment: Timestamp) -> Bool { revokedAt == nil && expiresAt > moment }
}

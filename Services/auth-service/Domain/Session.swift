import Contract
import Wire

/// A sign-in: what tokens are bound to and what can be revoked.
struct Session: Sendable, Equatable {
    let id: SessionID
    let account: UserID
    /// The name of the client profile that it was opened under.
    let profile: String
    let createdAt: Timestamp
    let expiresAt: Timestamp
    let revokedAt: Timestamp?

    func isOpen(at moment: Timestamp) -> Bool { revokedAt == nil && expiresAt > moment }
}

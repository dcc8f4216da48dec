import Contract
import ServiceKit
import Wire

/// Whose socket it is.
struct Identity: Sendable {
    let user: UserID
    let session: SessionID
    let profile: ClientProfile
}

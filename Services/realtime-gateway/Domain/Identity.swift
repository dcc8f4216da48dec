import Contract
import ServiceKit
import Wire

/// Whose socket it is.
struct Identity: Sendable {
    /// Nil for an anonymous socket, where a setting admits such.
    let caller: Caller?
    let profile: ClientProfile

    var user: UserID? { caller?.user }
    var session: SessionID? { caller?.session }
}

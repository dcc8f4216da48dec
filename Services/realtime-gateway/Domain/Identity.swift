import Contract
import ServiceKit
import Wire

/// The user, session and client profile of a socket.
struct Identity: Sendable {
    /// Nil for an anonymous socket, if a setting admits those.
    let caller: Caller?
    let profile: ClientProfile

    var user: UserID? { caller?.user }
    var session: SessionID? { caller?.session }
}

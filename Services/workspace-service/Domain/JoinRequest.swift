import Contract
import Wire

/// The wish of a user to be let into a workspace.
struct JoinRequest: Sendable {
    let user: UserID
    let text: String
    let createdAt: Timestamp
    /// Nil while nobody has decided.
    let declinedAt: Timestamp?
}

/// The decision of an owner or an admin about a request.
enum JoinDecision: String, Sendable {
    case approve, decline
}

/// The outcome of adding a user to a workspace.
enum MemberAddition: String, Sendable {
    case added
    /// The user has become a member, and is locked out: the grace for a required second factor is over.
    case lockedOut
    /// The user already was a member.
    case present
    /// The user is banned.
    case banned
}

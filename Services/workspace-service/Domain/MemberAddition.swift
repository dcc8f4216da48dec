/// The outcome of adding a user to a workspace.
enum MemberAddition: String, Sendable {
    case added
    /// The user already was a member.
    case present
    /// The user is banned.
    case banned
}

public import Contract

/// The owner of objects without a user as owner, such as system workspaces. It has a profile but no account: it cannot
/// sign in, and it cannot be found by its email address.
public struct SystemUser: Sendable {
    /// The setting of its nickname.
    public static let nameKey = ConfigKey(
        "system_name", default: "마루", "The nickname of the owner of system workspaces, the user with the id 0.")

    /// The profile as other users see it.
    public let member: MemberView

    public init(nickname: String) {
        member = MemberView(id: .system, email: "system@users.invalid", nickname: nickname, profileImage: nil)
    }
}

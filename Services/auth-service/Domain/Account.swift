import Wire

/// A user's account.
struct Account: Sendable, Equatable {
    let id: UserID
    let email: String
    let nickname: String
    let phone: String?
    /// The path of the profile image, such as `/static/profiles/…`.
    let profileImage: String?
    /// The provider that the account was made with; nil for an account with a password.
    let provider: SocialProvider?
    let createdAt: Timestamp
    /// Grows with each change of the profile.
    let version: Int64
    /// The workspace that the account is a bot of; nil for a person.
    let bot: WorkspaceID?
}

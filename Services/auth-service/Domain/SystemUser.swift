import Contract

/// The owner of what no user owns, such as system workspaces. It has a profile but no account: it cannot sign in, and
/// it cannot be found by its email address.
struct SystemUser: Sendable {
    let nickname: String

    var member: MemberView {
        MemberView(id: .system, email: "system@\(SocialAccounts.reservedDomain)", nickname: nickname, profileImage: nil)
    }
}

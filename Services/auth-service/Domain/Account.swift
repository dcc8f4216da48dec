import Contract
import Wire

/// A person's account.
struct Account: Sendable, Equatable {
    let id: UserID
    let email: String
    let nickname: String
    let phone: String?
    let profileImage: String?
    let provider: AccountView.Provider?
    let createdAt: Timestamp
    let version: Int64

    /// As its owner sees it.
    func view(coins: Int64? = nil, tokens: TokensView? = nil) -> AccountView {
        AccountView(
            id: id, email: email, nickname: nickname, profileImage: profileImage, phone: phone, provider: provider,
            coins: coins, createdAt: createdAt, tokens: tokens)
    }

    /// As others see it.
    var member: MemberView {
        MemberView(id: id, email: email, nickname: nickname, profileImage: profileImage)
    }
}

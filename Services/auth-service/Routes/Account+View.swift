import Contract
import Wire

extension Account {
    /// The account as its owner sees it.
    func view(coins: Int64? = nil, tokens: Sessions.Tokens? = nil, remember: String? = nil) -> AccountView {
        AccountView(
            id: id, email: email, nickname: nickname, profileImage: profileImage, phone: phone,
            provider: provider.flatMap { AccountView.Provider(rawValue: $0.rawValue) }, coins: coins,
            createdAt: createdAt,
            tokens: tokens.map { TokensView(access: $0.access, refresh: $0.refresh, remember: remember) })
    }

    /// The account as other users see it.
    var memberView: MemberView {
        MemberView(id: id, email: email, nickname: nickname, profileImage: profileImage, isBot: bot != nil)
    }
}

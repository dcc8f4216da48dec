import Contract
import Wire

/// The reply to a login by email: flat in the first generation, a user with tokens in the second.
struct LoginView: View {
    let account: Account
    let tokens: TokensView

    func write(to json: inout JSONWriter, for profile: ClientProfile) {
        switch profile.generation {
        case .january2024:
            json.object { json in
                json.field("user_id", account.id, for: profile)
                json.field("nickname", account.nickname)
                json.field("accessToken", tokens.access)
                json.field("refreshToken", tokens.refresh)
            }
        case .july2024:
            account.view(tokens: tokens).write(to: &json, for: profile)
        }
    }
}

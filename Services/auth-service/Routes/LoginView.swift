import Contract
import Wire

/// The reply to a login by email: flat in `2024-01`, a user with tokens in `2024-07`.
struct LoginView: View {
    let account: Account
    let tokens: Sessions.Tokens

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

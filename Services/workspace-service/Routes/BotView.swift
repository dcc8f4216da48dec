import Contract
import Wire

/// A bot as its managers see it.
struct BotView: View {
    let bot: Bot
    let profile: MemberView

    func write(to json: inout JSONWriter, for client: ClientProfile) {
        json.object { json in
            json.field("bot_id", bot.user, for: client)
            json.field("name", profile.nickname)
            if let maker = bot.createdBy { json.field("createdBy", maker, for: client) }
            json.field("createdAt", bot.createdAt)
        }
    }
}

/// A token of a bot as its managers see it.
struct BotTokenView: View {
    let token: BotTokenReply
    /// Shown once, after the making and each rotation.
    let text: String?

    func write(to json: inout JSONWriter, for client: ClientProfile) {
        json.object { json in
            json.field("token_id", token.id.description)
            json.field("name", token.name)
            json.field("prefix", token.prefix)
            json.field("scopes", token.scopes.names)
            json.field("createdAt", token.createdAt)
            if let usedAt = token.usedAt { json.field("usedAt", usedAt) }
            if let text { json.field("token", text) }
        }
    }
}

import Contract
import ServiceKit
import Wire

/// A command as members see it. The URL is shown to its bot alone.
struct CommandView: View {
    let command: Command
    let viewer: Caller
    /// Shown once, after the registration.
    let secret: String?

    func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in
            json.field("command_id", command.id, for: profile)
            json.field("name", command.name.text)
            json.field("description", command.description)
            if let hint = command.hint { json.field("hint", hint) }
            json.field("bot_id", command.bot, for: profile)
            json.field("createdAt", command.createdAt)
            if viewer.user == command.bot { json.field("url", command.url) }
            if let secret { json.field("secret", secret) }
        }
    }
}

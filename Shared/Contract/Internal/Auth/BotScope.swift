/// A part of the API that the token of a bot opens. The raw values are stored and sent.
public enum BotScope: String, Sendable, CaseIterable {
    /// Messages, channels and members.
    case read
    /// Messages of the bot, and its read markers.
    case write
    /// Reactions.
    case react
    /// Channels, their members and pins, as far as the role of the bot allows.
    case manage
    /// Commands that members run, and that the bot answers.
    case commands
}

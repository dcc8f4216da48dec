import Contract
import Wire

/// A program that is a member of a workspace.
struct Bot: Sendable {
    let user: UserID
    /// Nil once the account of the maker is deleted.
    let createdBy: UserID?
    let createdAt: Timestamp
}

/// The limits of bots.
struct BotLimits: Sendable {
    let ofWorkspace: Int
    /// Tokens of one bot.
    let tokens: Int
}

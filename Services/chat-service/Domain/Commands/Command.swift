import Contract
import Wire

typealias CommandID = ID<Command>

/// A command of a workspace that its members run in rooms, and that a bot answers.
struct Command: Sendable {
    let id: CommandID
    let workspace: WorkspaceID
    let bot: UserID
    let name: CommandName
    let description: String
    /// The text that may follow the name, in words; nil without one.
    let hint: String?
    /// Where the bot is called.
    let url: String
    /// The seed of the secret that signs the calls.
    let seed: [UInt8]
    let createdAt: Timestamp
}

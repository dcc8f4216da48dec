import Contract
import Wire

typealias CommandRunID = ID<CommandRun>

/// One run of a command by a member, until the bot answers it.
struct CommandRun: Sendable {
    let id: CommandRunID
    let workspace: WorkspaceID
    let bot: UserID
    let command: String
    let room: RoomID
    /// The root of the thread in which the command was run.
    let thread: Int64?
    /// The member that has run it.
    let user: UserID
    /// When the address for a later answer ends.
    let expiresAt: Timestamp

    /// The idempotency key of the message that answers it.
    var messageKey: String { "command-\(id)" }
}

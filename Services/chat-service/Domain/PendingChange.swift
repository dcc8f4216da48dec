import Contract
import Wire

/// A change of a message before its commit.
struct PendingChange: CommitItem {
    enum Kind: Sendable, Equatable {
        /// A new text with its mentions.
        case edit(String, mentions: MessageMentions = .none)
        /// The caller of the queue has checked that the user may delete it.
        case delete
        case react(Emoji)
        case unreact(Emoji)
        case pin
        case unpin

        /// Whether it does more than take back an own message or reaction: a pin may be that of another member.
        var needsStanding: Bool {
            switch self {
            case .edit, .react, .pin, .unpin: true
            case .delete, .unreact: false
            }
        }
    }

    let target: MessageTarget
    let seq: Int64
    let user: UserID
    let kind: Kind

    var workspace: WorkspaceID { target.workspace }
    var key: MessageKey { MessageKey(target.key, seq: seq) }
    var batchKey: Never? { nil }
}

/// The result of a change after the commit of its batch.
enum ChangeOutcome: Sendable {
    /// The message as it is now, whether this change altered it or found it so.
    case done(StoredMessage, erasedFiles: [String])
    case refused(Failure)
}

/// The limits of changes.
struct ChangeLimits: Sendable {
    /// How long after its sending a message may be edited; nil for ever.
    var editWindow: Duration?
    /// Pinned messages of a room.
    var pins = 100
    /// Distinct emojis of the reactions to a message.
    var reactions = 50
}

import Contract
import Wire

/// The rows that a batch of changes writes.
struct ChangeWrites: Sendable {
    struct Row: Sendable {
        let key: MessageKey
        let rev: Int64
        /// Nil if it stays.
        let content: String?
        let editedAt: Timestamp?
        let deletedAt: Timestamp?
    }

    struct Version: Sendable {
        let key: MessageKey
        let content: String
        let writtenAt: Timestamp
        let writtenBy: UserID
    }

    struct Reaction: Sendable {
        let key: MessageKey
        let emoji: String
        let user: UserID
    }

    /// The rests of deleted messages.
    struct Erased: Sendable {
        /// The messages with their files.
        var messages: [(key: MessageKey, files: [String])] = []
        /// The roots of the threads that have lost replies.
        var threads: Set<MessageKey> = []
    }

    /// The time of all of them.
    let time: Timestamp
    /// The new revisions of messages.
    var revs: [MessageKey: Int64] = [:]
    /// The new revisions of rooms.
    var rooms: [RoomKey: Int64] = [:]
    /// By room and revision.
    var messages: [Row] = []
    /// The messages with a new content.
    var newTexts: Set<MessageKey> = []
    /// The new mentions of messages.
    var mentions: [MessageKey: MessageMentions] = [:]
    var versions: [Version] = []
    var addedReactions: [Reaction] = []
    var removedReactions: [Reaction] = []
    var addedPins: [(key: MessageKey, user: UserID)] = []
    var removedPins: [MessageKey] = []
    var erased = Erased()

    var isEmpty: Bool { revs.isEmpty }
}

import Contract
import ServiceKit
import Wire

/// The result of all changes of a message.
struct MessageDetails: Sendable {
    /// The revision of the last change; 0 if there was none.
    let rev: Int64
    let editedAt: Timestamp?
    let deletedAt: Timestamp?
    /// Pin, reactions and replies are in other tables: missing unless they have been loaded.
    var pin: MessagePin?
    var reactions: [MessageReaction] = []
    var replies: RepliesSummary?
    /// The previews of its pictures, which are in another table as well.
    var previews: [FilePreview] = []

    /// Nil if the message has never changed.
    var revision: MessageRevision? {
        guard rev > 0 else { return nil }
        return MessageRevision(
            rev: rev, editedAt: editedAt, deletedAt: deletedAt, pin: pin, reactions: reactions, replies: replies)
    }

    /// The readers for which details are loaded.
    enum Readers: Sendable {
        /// Nobody needs them.
        case none
        /// All readers alike.
        case all
        /// One reader, with a mark on the reactions of this user.
        case one(UserID)
    }
}

extension MessageDetails.Readers {
    /// The reader of a reply. Shipped apps know no pins and reactions.
    init(_ caller: Caller, _ profile: ClientProfile) { self = profile.isNative ? .one(caller.user) : .none }
}

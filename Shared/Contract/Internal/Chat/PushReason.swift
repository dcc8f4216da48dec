/// The reason why a message is pushed to a member of its room, or why it is not.
public enum PushReason: String, Sendable, CaseIterable {
    /// The member wants all messages of the room.
    case all
    /// The message mentions the member or the room.
    case mention
    /// The message contains one of the member's keywords.
    case keyword
    /// The message is a reply in a thread that the member follows.
    case thread

    /// The member has a socket in the room.
    case present
    /// The member has muted the room for a time.
    case muted
    /// The member wants no pushes of the room.
    case none
    /// The member wants mentions only, and the message does not mention them.
    case mentionsOnly = "mentions_only"
    /// The member wants mentions only, and the message mentions the present members, of which they were none.
    case notHere = "not_here"
    /// It is a do-not-disturb hour of the member.
    case doNotDisturb = "do_not_disturb"
    /// The member has blocked the author.
    case blocked
    /// The member has no device.
    case noDevice = "no_device"
    /// The member left the room while the push waited.
    case left
    /// The message does not exist any more.
    case deleted
    /// The message was too old when its recipients were determined. It holds for all members.
    case expired

    /// Whether the message is pushed.
    public var isPush: Bool {
        switch self {
        case .all, .mention, .keyword, .thread: true
        case .present, .muted, .none, .mentionsOnly, .notHere, .doNotDisturb, .blocked, .noDevice, .left, .deleted,
            .expired:
            false
        }
    }
}

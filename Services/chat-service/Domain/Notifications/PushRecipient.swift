import Contract
import Wire

/// A member of a room at the moment when one of its messages is to be pushed.
struct PushRecipient: Sendable {
    let user: UserID
    let notify: RoomNotify
    /// Whether it is a do-not-disturb hour of the member.
    let isQuiet: Bool
    let keywords: [String]
    /// Whether the member follows the thread of the message.
    var isFollower = false

    /// Why a message is pushed to the member, or why not.
    ///
    /// A mention, a keyword or a reply in a followed thread passes the level `mentions`, but no mute, no level `none` and no do-not-disturb hours.
    func reason(for message: PushedMessage, at now: Timestamp) -> PushReason {
        if notify.isMuted(at: now) { return .muted }
        if notify.level == .none { return .none }
        if isQuiet { return .doNotDisturb }
        if message.mentions(user) { return .mention }
        if keywords.contains(where: message.words.contains) { return .keyword }
        if isFollower { return .thread }
        if notify.level == .all { return .all }
        return message.mentions.contains(.here) ? .notHere : .mentionsOnly
    }
}

/// The parts of a message on which its pushes depend.
struct PushedMessage: Sendable {
    let mentions: [MessageMention]
    let words: KeywordSearch
    /// The members that `@here` reaches; nil for all.
    var here: Set<UserID>?

    /// Whether it mentions this member.
    func mentions(_ member: UserID) -> Bool {
        mentions.contains { mention in
            switch mention {
            case .user(let user, _): user == member
            case .room: true
            case .here: here?.contains(member) ?? true
            }
        }
    }
}

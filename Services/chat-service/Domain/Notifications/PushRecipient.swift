import Contract
import Wire

/// A member of a room at the moment when one of its messages is to be pushed.
struct PushRecipient: Sendable {
    let user: UserID
    let notify: RoomNotify
    /// Whether it is a do-not-disturb hour of the member.
    let isQuiet: Bool
    let keywords: [String]

    /// Why a message is pushed to the member, or why not.
    ///
    /// A mention or a keyword passes the level `mentions`, but no mute, no level `none` and no do-not-disturb hours.
    func reason(for message: PushedMessage, at now: Timestamp) -> PushReason {
        if notify.isMuted(at: now) { return .muted }
        if notify.level == .none { return .none }
        if isQuiet { return .doNotDisturb }
        if message.mentions.names(user) { return .mention }
        if keywords.contains(where: message.words.contains) { return .keyword }
        return notify.level == .all ? .all : .mentionsOnly
    }
}

/// The parts of a message on which its pushes depend.
struct PushedMessage: Sendable {
    let seq: Int64
    let mentions: Mentions
    let words: KeywordSearch
}

internal import Wire

/// A revision among the members of a room event. Clients receive it by `writeMembers(to:for:)`.
extension MessageRevision {
    /// Nil if the message has never changed.
    convenience init?(_ json: JSONValue) {
        guard let rev = json.int64("rev") else { return nil }
        var pin: MessagePin?
        if let at = json.timestamp("pinnedAt"), let user: UserID = json.textID("pinnedBy") {
            pin = MessagePin(at: at, by: user)
        }
        self.init(
            rev: rev, editedAt: json.timestamp("editedAt"), deletedAt: json.timestamp("deletedAt"), pin: pin,
            reactions: json["reactions"]?.elements?.compactMap(MessageReaction.init) ?? [],
            replies: json["replies"].flatMap(RepliesSummary.init))
    }

    func writeMembers(to json: inout JSONWriter) {
        json.field("rev", rev)
        if let editedAt { json.field("editedAt", editedAt.milliseconds) }
        if let deletedAt { json.field("deletedAt", deletedAt.milliseconds) }
        if let pin {
            json.field("pinnedAt", pin.at.milliseconds)
            json.field("pinnedBy", pin.user.description)
        }
        if let replies { json.object("replies") { replies.writeMembers(to: &$0) } }
        guard !reactions.isEmpty else { return }
        json.array("reactions") { json in for reaction in reactions { reaction.write(to: &json) } }
    }
}

extension RepliesSummary {
    fileprivate init?(_ json: JSONValue) {
        guard let count = json.int64("count"), let lastAt = json.timestamp("lastAt"),
            let users: [UserID] = json.textIDs("users")
        else { return nil }
        self.init(count: count, lastAt: lastAt, users: users)
    }

    fileprivate func writeMembers(to json: inout JSONWriter) {
        json.field("count", count)
        json.field("lastAt", lastAt.milliseconds)
        json.field("users", users.map(\.description))
    }
}

extension MessageReaction {
    fileprivate init?(_ json: JSONValue) {
        guard let emoji = json.string("emoji"), let count = json.int64("count"),
            let users: [UserID] = json.textIDs("users")
        else { return nil }
        self.init(emoji: emoji, count: count, users: users)
    }

    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("emoji", emoji)
            json.field("count", count)
            json.field("users", users.map(\.description))
        }
    }
}

internal import Wire

/// The thread, the mentions and the previews among the members of a room event. Clients receive them by `writeMembers(to:for:)`.
extension MessageTraits {
    /// Nil if the message has none.
    convenience init?(_ json: JSONValue) {
        let thread = json["thread"].flatMap(ReplyThread.init)
        let mentions = json["mentions"]?.elements?.compactMap(MessageMention.init) ?? []
        let isScheduled = json.bool("scheduled") ?? false
        let previews = json["previews"]?.elements?.compactMap(FilePreview.init) ?? []
        guard thread != nil || !mentions.isEmpty || isScheduled || !previews.isEmpty else { return nil }
        self.init(thread: thread, mentions: mentions, isScheduled: isScheduled, previews: previews)
    }

    func writeMembers(to json: inout JSONWriter) {
        if let thread { json.object("thread") { thread.write(to: &$0) } }
        if !mentions.isEmpty {
            json.array("mentions") { json in for mention in mentions { json.object { mention.write(to: &$0) } } }
        }
        if isScheduled { json.field("scheduled", true) }
        FilePreview.writeMember(previews, to: &json)
    }
}

extension ReplyThread {
    fileprivate init?(_ json: JSONValue) {
        guard let root = json.int64("root") else { return nil }
        self.init(root: root, isInTimeline: json.bool("toRoom") ?? false)
    }
}

extension MessageMention {
    /// Nil for a type that a newer service may have added.
    fileprivate init?(_ json: JSONValue) {
        switch json.string("type") {
        case "user":
            guard let user: UserID = json.textID("user_id") else { return nil }
            self = .user(user, nickname: json.string("nickname"))
        case "room": self = .room
        case "here": self = .here
        default: return nil
        }
    }

    fileprivate func write(to json: inout JSONWriter) {
        json.field("type", type)
        guard case .user(let user, let nickname) = self else { return }
        json.field("user_id", user.description)
        if let nickname { json.field("nickname", nickname) }
    }
}

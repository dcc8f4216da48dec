import Contract
import Wire

/// A message as the table has it, with the author's id instead of a profile.
struct StoredMessage: Sendable {
    let room: RoomID
    let workspace: WorkspaceID
    let seq: Int64
    let id: ChatID
    let author: UserID
    let session: SessionID
    var content: String
    var files: [String]
    let createdAt: Timestamp
    let clientID: String?
    /// Its thread and mentions, without nicknames; nil if it has none.
    var traits: MessageTraits?
    /// The result of its changes.
    var details: MessageDetails

    var key: MessageKey { MessageKey(RoomKey(workspace: workspace, id: room), seq: seq) }

    /// The message as clients get it.
    ///
    /// - Parameters:
    ///   - people: the profiles of its author and of the users that it names by id; a missing one counts as deleted.
    ///   - content: replaces the content.
    func body(_ people: [UserID: MemberView], content: String? = nil) -> MessageBody {
        MessageBody(
            id: id, seq: seq, content: content ?? self.content, createdAt: createdAt, files: files,
            author: people[author] ?? .deleted(author), clientID: clientID, traits: shownTraits(people),
            revision: details.revision)
    }

    /// The users that the text names by id, as `<@5>`.
    fileprivate var namedUsers: Set<UserID> {
        guard let traits, content.contains("<@") else { return [] }
        let ids = Mentions.ids(in: content)
        return Set(
            traits.mentions.compactMap { mention in
                if case .user(let user, _) = mention, ids.contains(user) { user } else { nil }
            })
    }

    /// The traits with the nicknames of users and the previews of pictures.
    private func shownTraits(_ people: [UserID: MemberView]) -> MessageTraits? {
        let users = namedUsers
        guard !users.isEmpty || !details.previews.isEmpty else { return traits }
        return MessageTraits(
            thread: traits?.thread, mentions: (traits?.mentions ?? []).map { $0.named(users, people) },
            isScheduled: traits?.isScheduled ?? false, previews: details.previews)
    }
}

extension Sequence<StoredMessage> {
    /// The users with a profile that the messages' bodies need.
    var people: [UserID] {
        var users: [UserID] = []
        for message in self {
            users.append(message.author)
            if message.traits != nil { users += message.namedUsers }
        }
        return users
    }
}

extension MessageMention {
    /// The mention with the nickname of a user among `users`.
    func named(_ users: Set<UserID>, _ people: [UserID: MemberView]) -> MessageMention {
        guard case .user(let user, _) = self, users.contains(user) else { return self }
        return .user(user, nickname: (people[user] ?? .deleted(user)).nickname)
    }
}

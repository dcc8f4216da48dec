import Contract
import Telemetry
import Wire

/// A message before its commit. A class, so that queues and batches share one object instead of copying ten fields.
final class PendingMessage: Sendable {
    let room: RoomID
    let workspace: WorkspaceID
    /// The channel's name; nil in a DM.
    let roomName: String?
    let authorView: MemberView
    let session: SessionID
    let content: String
    private let attached: MessageFiles
    private let key: ClientMessageKey
    /// Nil for a message outside of threads.
    let reply: ReplyRequest?
    private let mentioned: MessageMentions
    let isScheduled: Bool
    /// The call that sends the message, if it is traced.
    let call: CallContext?

    init(
        room: RoomID, workspace: WorkspaceID, roomName: String?, authorView: MemberView, session: SessionID,
        content: String, files: [String], clientID: String?, digest: [UInt8]?, reply: ReplyRequest? = nil,
        mentions: MessageMentions = .none, isScheduled: Bool = false, previews: [FilePreview] = [],
        call: CallContext? = CallContext.current
    ) {
        self.room = room
        self.workspace = workspace
        self.roomName = roomName
        self.authorView = authorView
        self.session = session
        self.content = content
        attached = MessageFiles(paths: files, previews: previews)
        key = ClientMessageKey(id: clientID, digest: digest)
        self.reply = reply
        mentioned = mentions
        self.isScheduled = isScheduled
        self.call = call?.recorder == nil ? nil : call
    }
}

/// The files of a message.
private struct MessageFiles: Sendable {
    /// Paths that begin with `/static/`.
    let paths: [String]
    /// Of the files that are pictures.
    let previews: [FilePreview]
}

/// The idempotency key of a message.
private struct ClientMessageKey: Sendable {
    let id: String?
    let digest: [UInt8]?
}

extension PendingMessage {
    var roomKey: RoomKey { RoomKey(workspace: workspace, id: room) }

    /// The client's idempotency key, unique for author and room; nil if the client sent none.
    var clientID: String? { key.id }
    /// The digest of content and files, if there is a `clientID`. A repeated key must come with the same digest.
    var digest: [UInt8]? { key.digest }
    /// Paths that begin with `/static/`.
    var files: [String] { attached.paths }

    var author: UserID { authorView.id }

    /// As clients see them.
    var mentions: [MessageMention] { mentioned.list }
    /// The mentions that make members follow the thread.
    var following: [MessageMention] { mentioned.following }
    /// The named members that do not follow the thread of this root, because they have blocked the author.
    var blockersOfRoot: [UserID] { reply == nil ? mentioned.blockers : [] }
    /// The rows of the table of mentions for `@here`.
    var reached: [Int64] { mentioned.reached }

    /// Whether the message has no thread and no mentions, and was not scheduled, as most have not.
    var isPlain: Bool { reply == nil && mentions.isEmpty && !isScheduled }

    private func traits(root: Int64?) -> MessageTraits? {
        if isPlain && attached.previews.isEmpty { return nil }
        let thread = root.map { ReplyThread(root: $0, isInTimeline: reply?.isInTimeline ?? false) }
        return MessageTraits(thread: thread, mentions: mentions, isScheduled: isScheduled, previews: attached.previews)
    }

    /// The committed message.
    func committed(as written: SendOutcome.Written) -> RoomMessage {
        RoomMessage(
            room: room, workspace: workspace, name: roomName,
            body: MessageBody(
                id: written.id, seq: written.seq, content: content, createdAt: written.createdAt, files: written.files,
                author: authorView, clientID: clientID, traits: traits(root: written.root)),
            session: session)
    }
}

extension Sequence<PendingMessage> {
    /// The rooms of the messages.
    var targets: [RoomID: MessageTarget] {
        let targets = map { ($0.room, MessageTarget(room: $0.room, workspace: $0.workspace, name: $0.roomName)) }
        return Dictionary(targets) { first, _ in first }
    }
}

/// Two messages of one author with the same `clientID` in one room: only the first is written.
struct IdempotencyKey: Hashable {
    let room: RoomID
    let author: UserID
    let clientID: String
}

extension PendingMessage: CommitItem {
    var batchKey: IdempotencyKey? {
        clientID.map { IdempotencyKey(room: room, author: author, clientID: $0) }
    }
}

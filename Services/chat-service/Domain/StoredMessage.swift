import Contract
import Wire

/// A message as the table has it, with the author's id instead of a profile.
struct StoredMessage: Sendable {
    let room: RoomID
    let workspace: WorkspaceID?
    let seq: Int64
    let id: ChatID
    let author: UserID
    let session: SessionID
    let content: String
    let files: [String]
    let createdAt: Timestamp
    let clientID: String?
    /// The result of its changes.
    var details: MessageDetails

    var key: MessageKey { MessageKey(room: room, seq: seq) }

    func body(by author: MemberView, content: String? = nil) -> MessageBody {
        MessageBody(
            id: id, seq: seq, content: content ?? self.content, createdAt: createdAt, files: files, author: author,
            clientID: clientID, revision: details.revision)
    }
}

import Contract
import Wire

/// A message that is about to be written. One object, as it goes from hand to hand on its way.
final class Draft: Sendable {
    let room: RoomID
    let workspace: WorkspaceID
    /// The channel's name; nil in a DM.
    let roomName: String?
    let authorView: MemberView
    let session: SessionID
    let content: String
    /// Paths that begin with `/static/`.
    let files: [String]
    /// Names the message for its author and room, for ever; nil where the client gives none.
    let clientID: String?
    /// Of content and files, where there is a `clientID`: the same name stands for the same body only.
    let digest: [UInt8]?

    init(
        room: RoomID, workspace: WorkspaceID, roomName: String?, authorView: MemberView, session: SessionID,
        content: String, files: [String], clientID: String?, digest: [UInt8]?
    ) {
        self.room = room
        self.workspace = workspace
        self.roomName = roomName
        self.authorView = authorView
        self.session = session
        self.content = content
        self.files = files
        self.clientID = clientID
        self.digest = digest
    }
}

extension Draft {
    var author: UserID { authorView.id }

    /// The message that the draft became.
    func message(_ written: SendOutcome.Written) -> RoomMessage {
        RoomMessage(
            room: room, workspace: workspace, name: roomName,
            body: MessageBody(
                id: written.id, seq: written.seq, content: content, createdAt: written.createdAt, files: written.files,
                author: authorView, clientID: clientID),
            session: session)
    }
}

/// What became of a draft.
enum SendOutcome: Sendable, Equatable {
    case written(Written)
    /// The same body was written under this `clientID` before.
    case known(Written)
    /// Another body was written under this `clientID` before.
    case conflicting
    /// The room's clock has run too far ahead: more is sent than two a millisecond allow.
    case overloaded
    /// The room is closed.
    case closed

    /// What the database has given a message.
    struct Written: Sendable, Equatable {
        let id: ChatID
        let seq: Int64
        let createdAt: Timestamp
        let files: [String]
    }
}

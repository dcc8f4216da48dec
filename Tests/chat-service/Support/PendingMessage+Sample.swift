import Contract
import Wire

@testable import chat_service

extension PendingMessage {
    /// A message with default values.
    static func sample(
        _ content: String = "hello", room: RoomID = RoomID(ChannelID(7)), author: Int64 = 1, clientID: String? = nil,
        files: [String] = [], reply: ReplyRequest? = nil, mentions: [MessageMention] = [],
        present: [UserID]? = [], blockers: [UserID] = [], workspace: Int64 = 3
    ) -> PendingMessage {
        PendingMessage(
            room: room, workspace: WorkspaceID(workspace), roomName: room.kind == .channel ? "general" : nil,
            authorView: MemberView(
                id: UserID(author), email: "\(author)@example.com", nickname: "n\(author)", profileImage: nil),
            session: SessionID(author + 1000), content: content, files: files, clientID: clientID,
            digest: clientID == nil ? nil : Array(content.utf8), reply: reply,
            mentions: MessageMentions(mentions, present: present, blockers: blockers))
    }
}

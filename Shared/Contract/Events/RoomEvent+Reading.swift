public import Wire

extension RoomEvent {
    /// Reads what `encoded` writes; nil for anything else.
    public init?(_ json: JSONValue) {
        guard let room = json["room"]?.string.flatMap(RoomID.init) else { return nil }
        switch json["type"]?.string {
        case "message":
            guard let message = RoomMessage(json, room: room) else { return nil }
            self = .message(message)
        case "removed":
            guard let after = json["after"]?.int, let user = json["user_id"]?.string.flatMap(UserID.init) else {
                return nil
            }
            self = .removed(room: room, after: Int64(after), user: user)
        case "closed":
            guard let after = json["after"]?.int else { return nil }
            self = .closed(room: room, after: Int64(after))
        default:
            return nil
        }
    }
}

extension RoomMessage {
    fileprivate init?(_ json: JSONValue, room: RoomID) {
        guard
            let workspace = json["workspace_id"]?.string.flatMap(WorkspaceID.init),
            let session = json["session"]?.string.flatMap(SessionID.init),
            let body = MessageBody(json)
        else { return nil }
        self.init(room: room, workspace: workspace, name: json["name"]?.string, body: body, session: session)
    }
}

extension MessageBody {
    fileprivate init?(_ json: JSONValue) {
        guard
            let id = json["id"]?.string.flatMap(ChatID.init),
            let seq = json["seq"]?.int,
            let content = json["content"]?.string,
            let createdAt = json["createdAt"]?.int,
            let files = json["files"]?.elements?.map(\.string), !files.contains(nil),
            let author = json["author"].flatMap(MemberView.init)
        else { return nil }
        self.init(
            id: id,
            seq: Int64(seq),
            content: content,
            createdAt: Timestamp(milliseconds: Int64(createdAt)),
            files: files.compactMap { $0 },
            author: author,
            clientID: json["client_id"]?.string
        )
    }
}

extension MemberView {
    /// Reads a profile as services tell it each other.
    public init?(_ json: JSONValue) {
        guard
            let id = json["user_id"]?.string.flatMap(UserID.init),
            let email = json["email"]?.string,
            let nickname = json["nickname"]?.string
        else { return nil }
        self.init(id: id, email: email, nickname: nickname, profileImage: json["profileImage"]?.string)
    }
}

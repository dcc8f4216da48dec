public import Telemetry
public import Wire

/// A message with everything that a gateway needs to render it for any client.
public struct RoomMessage: Sendable, Equatable {
    public let room: RoomID
    public let workspace: WorkspaceID
    /// The channel's name; nil in a DM.
    public let name: String?
    public private(set) var body: MessageBody
    /// The sender's session.
    public let session: SessionID
    /// The step that published the message, if its trace is recorded. It is of no client's concern.
    public var trace: TraceContext?

    public init(
        room: RoomID, workspace: WorkspaceID, name: String?, body: MessageBody, session: SessionID,
        trace: TraceContext? = nil
    ) {
        self.room = room
        self.workspace = workspace
        self.name = name
        self.body = body
        self.session = session
        self.trace = trace
    }

    /// The message as it waits for its pushes: the text and the files stay in chat-service, where they can be deleted.
    public var withoutContent: RoomMessage {
        var message = self
        message.body.content = ""
        message.body.files = []
        message.trace = nil
        return message
    }

    /// The message as the blockers of its author see it.
    public func blocked() -> RoomMessage {
        var message = self
        message.body = body.blocked()
        return message
    }
}

extension RoomMessage {
    /// Reads the members of a room event of a type that carries a message.
    init?(_ json: JSONValue, room: RoomID) {
        guard
            let workspace = json["workspace_id"]?.string.flatMap(WorkspaceID.init),
            let session = json["session"]?.string.flatMap(SessionID.init),
            let body = MessageBody(json)
        else { return nil }
        self.init(
            room: room, workspace: workspace, name: json["name"]?.string, body: body, session: session,
            trace: json["traceparent"]?.string.flatMap { TraceContext(traceparent: $0.utf8.span) })
    }

    /// Writes the members of a room event of a type that carries a message.
    func writeMembers(to json: inout JSONWriter, type: String = "message") {
        json.field("type", type)
        json.field("room", room.description)
        json.field("seq", body.seq)
        json.field("id", body.id.description)
        json.field("workspace_id", workspace.description)
        if let name { json.field("name", name) }
        json.object("author") { json in body.author.writeMembers(to: &json) }
        json.field("session", session.description)
        if let trace { json.field("traceparent", trace.traceparent) }
        json.field("content", body.content)
        json.field("files", body.files)
        json.field("createdAt", body.createdAt.milliseconds)
        if let clientID = body.clientID { json.field("client_id", clientID) }
        body.traits?.writeMembers(to: &json)
        body.revision?.writeMembers(to: &json)
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
            clientID: json["client_id"]?.string,
            traits: MessageTraits(json),
            revision: MessageRevision(json)
        )
    }
}

/// A user's profile between services; clients receive it by `write(to:for:)`.
extension MemberView {
    /// Reads the profile that is in an object of its own or among other members.
    init?(_ json: JSONValue) {
        guard
            let id = json["user_id"]?.string.flatMap(UserID.init),
            let email = json["email"]?.string,
            let nickname = json["nickname"]?.string
        else { return nil }
        self.init(
            id: id, email: email, nickname: nickname, profileImage: json["profileImage"]?.string,
            isBot: json.bool("bot") ?? false)
    }

    func writeMembers(to json: inout JSONWriter) {
        json.field("user_id", id.description)
        json.field("email", email)
        json.field("nickname", nickname)
        if let profileImage { json.field("profileImage", profileImage) }
        if isBot { json.field("bot", true) }
    }
}

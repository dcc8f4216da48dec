public import Wire

/// The user, session and client profile for which chat-service acts.
public struct MeCaller: Sendable, Equatable {
    public let user: UserID
    public let session: SessionID
    /// The name of the client profile.
    public let profile: String

    public init(user: UserID, session: SessionID, profile: String) {
        self.user = user
        self.session = session
        self.profile = profile
    }

    init(reading request: InternalRequestReader) throws(Failure) {
        self.init(
            user: try request.memberID("user_id"), session: try request.memberID("session"),
            profile: try request.memberText("profile"))
    }

    func writeMembers(to json: inout JSONWriter) {
        json.field("user_id", user.description)
        json.field("session", session.description)
        json.field("profile", profile)
    }
}

/// Sends a message as its user would by the public route. The `client_id` makes it idempotent.
public struct MeSendRequest: InternalRequest {
    public typealias Reply = MeReply

    public static let route = InternalRoute.idempotentPost("/internal/rooms/{room}/messages")
    public static var isForClient: Bool { true }

    public let caller: MeCaller
    public let room: RoomID
    public let content: String
    public let clientID: String
    /// The seq of a thread's root; nil for a message of the room itself.
    public let thread: Int64?
    /// Whether a reply to a thread is in the timeline too.
    public let toRoom: Bool

    public init(
        caller: MeCaller, room: RoomID, content: String, clientID: String, thread: Int64? = nil, toRoom: Bool = false
    ) {
        self.caller = caller
        self.room = room
        self.content = content
        self.clientID = clientID
        self.thread = thread
        self.toRoom = toRoom
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(
            caller: try MeCaller(reading: request), room: try request.room("room"),
            content: try request.memberText("content"), clientID: try request.memberText("client_id"),
            thread: request.member("thread")?.int.map { Int64($0) },
            toRoom: request.member("to_room")?.bool ?? false)
    }

    public func write(to request: inout InternalRequestWriter) {
        request.parameter(room)
        request.body { json in
            caller.writeMembers(to: &json)
            json.field("content", content)
            json.field("client_id", clientID)
            if let thread { json.field("thread", thread) }
            json.field("to_room", toRoom)
        }
    }
}

/// Moves the read marker of a user in a room, or in a thread of it.
public struct MeReadRequest: InternalRequest {
    public typealias Reply = MeReply

    public static let route = InternalRoute.idempotentPost("/internal/rooms/{room}/reads")
    public static var isForClient: Bool { true }

    public let caller: MeCaller
    public let room: RoomID
    public let seq: Int64
    /// The seq of the thread's root; nil for the room itself.
    public let thread: Int64?

    public init(caller: MeCaller, room: RoomID, seq: Int64, thread: Int64? = nil) {
        self.caller = caller
        self.room = room
        self.seq = seq
        self.thread = thread
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(
            caller: try MeCaller(reading: request), room: try request.room("room"),
            seq: Int64(try request.memberInteger("seq")), thread: request.member("thread")?.int.map { Int64($0) })
    }

    public func write(to request: inout InternalRequestWriter) {
        request.parameter(room)
        request.body { json in
            caller.writeMembers(to: &json)
            json.field("seq", seq)
            if let thread { json.field("thread", thread) }
        }
    }
}

/// Reads a part of a room's history, or its changes, as a user would by the public routes.
public struct MeHistoryRequest: InternalRequest {
    public typealias Reply = MeReply

    public static let route = InternalRoute.idempotentPost("/internal/rooms/{room}/history")
    public static var isForClient: Bool { true }

    public enum Anchor: Sendable, Equatable {
        case beforeSeq(Int64)
        case afterSeq(Int64)
        case afterRev(Int64)
    }

    public let caller: MeCaller
    public let room: RoomID
    public let anchor: Anchor
    /// Messages at most; fewer if they are large.
    public let limit: Int

    public init(caller: MeCaller, room: RoomID, anchor: Anchor, limit: Int) {
        self.caller = caller
        self.room = room
        self.anchor = anchor
        self.limit = limit
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        let anchor: Anchor
        if let seq = request.member("before_seq")?.int {
            anchor = .beforeSeq(Int64(seq))
        } else if let rev = request.member("after_rev")?.int {
            anchor = .afterRev(Int64(rev))
        } else {
            anchor = .afterSeq(Int64(try request.memberInteger("after_seq")))
        }
        self.init(
            caller: try MeCaller(reading: request), room: try request.room("room"), anchor: anchor,
            limit: try request.memberInteger("limit"))
    }

    public func write(to request: inout InternalRequestWriter) {
        request.parameter(room)
        request.body { json in
            caller.writeMembers(to: &json)
            switch anchor {
            case .beforeSeq(let seq): json.field("before_seq", seq)
            case .afterSeq(let seq): json.field("after_seq", seq)
            case .afterRev(let rev): json.field("after_rev", rev)
            }
            json.field("limit", limit)
        }
    }
}

/// The result of a call, as JSON in the form of the caller's client profile, so that a gateway forwards it as it is.
public struct MeReply: WireMessage {
    public let result: [UInt8]

    public init(result: [UInt8]) { self.result = result }

    public init?(_ json: JSONValue) {
        guard let result = json["result"] else { return nil }
        self.init(result: result.text)
    }

    public var sizeHint: Int { result.count + 16 }

    public func write(to json: inout JSONWriter) { json.object { json in json.field("result") { $0.raw(result) } } }
}

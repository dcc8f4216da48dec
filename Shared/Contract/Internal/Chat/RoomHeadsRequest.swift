public import Wire

/// Asks chat-service for the newest `seq` and the revision of rooms, 1,000 at most. Rooms without messages are missing from the reply.
public struct RoomHeadsRequest: InternalRequest {
    public typealias Reply = RoomHeadsReply

    public static let route = InternalRoute.idempotentPost("/internal/rooms/heads")

    public let rooms: [RoomID]

    public init(rooms: [RoomID]) { self.rooms = rooms }

    /// Names that are not rooms are skipped.
    public init(reading request: InternalRequestReader) throws(Failure) {
        guard let names = request.member("rooms")?.elements else { throw .invalid("rooms is missing.") }
        let rooms = names.compactMap { $0.string.flatMap(RoomID.init) }
        guard rooms.count <= InternalRequestReader.bulkLimit else { throw .invalid("Too many rooms.") }
        self.init(rooms: rooms)
    }

    public func write(to request: inout InternalRequestWriter) {
        request.body { json in json.field("rooms", rooms.map(\.description)) }
    }
}

public struct RoomHeadsReply: WireMessage {
    /// A room with its newest `seq` and its revision.
    public struct Head: WireMessage {
        public let room: RoomID
        public let seq: Int64
        /// The number of changes to its messages so far.
        public let rev: Int64

        public init(room: RoomID, seq: Int64, rev: Int64) {
            self.room = room
            self.seq = seq
            self.rev = rev
        }

        public init?(_ json: JSONValue) {
            guard let room = json.room("room"), let seq = json.int64("seq") else { return nil }
            // An older release knows no revisions.
            self.init(room: room, seq: seq, rev: json.int64("rev") ?? 0)
        }

        public func write(to json: inout JSONWriter) {
            json.object { json in
                json.field("room", room.description)
                json.field("seq", seq)
                json.field("rev", rev)
            }
        }
    }

    public let heads: [Head]
    /// The rooms with heads that cannot be read, because their part of the database does not answer.
    public let lost: [RoomID]

    public init(heads: [Head], lost: [RoomID] = []) {
        self.heads = heads
        self.lost = lost
    }

    public init?(_ json: JSONValue) {
        self.init(
            heads: json.list("heads"),
            lost: json["lost"]?.elements?.compactMap { $0.string.flatMap(RoomID.init) } ?? [])
    }

    public var sizeHint: Int { 64 * heads.count + 32 * lost.count + 32 }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("heads", heads)
            json.field("lost", lost.map(\.description))
        }
    }
}

/// Asks chat-service for the history cursor of a session in a room. It has one if Redis could not store it.
public struct HistoryCursorRequest: InternalRequest {
    public typealias Reply = HistoryCursorReply

    public static let route = InternalRoute.get("/internal/rooms/{room}/positions/{session}")

    public let session: SessionID
    public let room: RoomID

    public init(session: SessionID, room: RoomID) {
        self.session = session
        self.room = room
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(session: try request.id("session"), room: try request.room("room"))
    }

    public func write(to request: inout InternalRequestWriter) {
        request.parameter(room)
        request.parameter(session)
    }
}

public struct HistoryCursorReply: WireMessage {
    /// 0 if chat-service has no history cursor of the session in the room.
    public let seq: Int64

    public init(seq: Int64) { self.seq = seq }

    public init?(_ json: JSONValue) {
        guard let seq = json.int64("seq") else { return nil }
        self.init(seq: seq)
    }

    public func write(to json: inout JSONWriter) { json.object { $0.field("seq", seq) } }
}

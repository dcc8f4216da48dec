public import Wire

/// Asks chat-service for the events of a room after a message, to fill a gap or to catch up.
public struct RoomEventsRequest: InternalRequest {
    public typealias Reply = RoomEventsReply

    public static let route = InternalRoute.get("/internal/rooms/{room}/messages")
    public static let largestPage = 500

    public let room: RoomID
    /// The events begin after this `seq`.
    public let after: Int64
    /// How many `seq`s the page spans at most.
    public let limit: Int
    /// After how many bytes of content the page ends; nil for no limit.
    public let bytes: Int?

    public init(room: RoomID, after: Int64, limit: Int, bytes: Int?) {
        self.room = room
        self.after = after
        self.limit = limit
        self.bytes = bytes
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(
            room: try request.room("room"),
            after: try request.queryNumber("after_seq", in: 0...Int64.max) ?? 0,
            limit: try request.queryNumber("limit", in: 1...Self.largestPage) ?? Self.largestPage,
            bytes: try request.queryNumber("bytes", in: 1...Int.max))
    }

    public func write(to request: inout InternalRequestWriter) {
        request.parameter(room)
        request.query("after_seq", after)
        request.query("limit", limit)
        if let bytes { request.query("bytes", bytes) }
    }
}

public struct RoomEventsReply: WireMessage {
    /// False if some of the events up to `end` no longer exist.
    public let isComplete: Bool
    /// The newest `seq` of the room.
    public let head: Int64
    /// The reply holds all events up to this `seq` that exist.
    public let end: Int64
    /// Oldest first.
    public let events: [RoomEvent]

    public init(isComplete: Bool, head: Int64, end: Int64, events: [RoomEvent]) {
        self.isComplete = isComplete
        self.head = head
        self.end = end
        self.events = events
    }

    public init?(_ json: JSONValue) {
        guard let isComplete = json.bool("complete"), let head = json.int64("head"), let end = json.int64("end"),
            json["events"]?.kind == .array
        else { return nil }
        self.init(isComplete: isComplete, head: head, end: end, events: json.list("events"))
    }

    public var sizeHint: Int { 512 * events.count + 64 }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("complete", isComplete)
            json.field("head", head)
            json.field("end", end)
            json.field("events", events)
        }
    }
}

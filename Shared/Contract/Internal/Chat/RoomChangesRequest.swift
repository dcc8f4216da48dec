public import Wire

/// Asks chat-service for the messages of a room that changed after a revision, to fill a gap or to catch up.
public struct RoomChangesRequest: InternalRequest {
    public typealias Reply = RoomChangesReply

    public static let route = InternalRoute.get("/internal/rooms/{room}/changes")
    public static let largestPage = 500

    public let room: RoomID
    /// The changes begin after this revision.
    public let after: Int64
    public let limit: Int

    public init(room: RoomID, after: Int64, limit: Int) {
        self.room = room
        self.after = after
        self.limit = limit
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(
            room: try request.room("room"),
            after: try request.queryNumber("after_rev", in: 0...Int64.max) ?? 0,
            limit: try request.queryNumber("limit", in: 1...Self.largestPage) ?? Self.largestPage)
    }

    public func write(to request: inout InternalRequestWriter) {
        request.parameter(room)
        request.query("after_rev", after)
        request.query("limit", limit)
    }
}

public struct RoomChangesReply: WireMessage {
    /// The reply accounts for all changes up to this revision.
    public let rev: Int64
    /// The room's revision.
    public let head: Int64
    /// Room events of type `changed`, by revision: each changed message once, as it is now.
    public let events: [RoomEvent]

    public init(rev: Int64, head: Int64, events: [RoomEvent]) {
        self.rev = rev
        self.head = head
        self.events = events
    }

    public init?(_ json: JSONValue) {
        guard let rev = json.int64("rev"), let head = json.int64("head"), json["events"]?.kind == .array else {
            return nil
        }
        self.init(rev: rev, head: head, events: json.list("events"))
    }

    public var sizeHint: Int { 512 * events.count + 64 }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("rev", rev)
            json.field("head", head)
            json.field("events", events)
        }
    }

    /// The changes among the events.
    public var changes: [RoomChange] {
        events.compactMap { event in if case .changed(let change) = event { change } else { nil } }
    }
}

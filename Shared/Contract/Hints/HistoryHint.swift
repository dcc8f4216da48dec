public import Wire

/// A history reply has brought a session up to a `seq` of a room, so its socket continues after that.
///
/// chat-service publishes it before the reply leaves.
public struct HistoryHint: Hint {
    public static let redisChannel = "positions"

    public let session: SessionID
    public let room: RoomID
    public let seq: Int64
    /// The messages up to `seq` that the reply leaves out, because a socket that has just joined is sent them.
    public let leftOut: ClosedRange<Int64>?

    public init(session: SessionID, room: RoomID, seq: Int64, leftOut: ClosedRange<Int64>? = nil) {
        self.session = session
        self.room = room
        self.seq = seq
        self.leftOut = leftOut
    }

    public init?(_ json: JSONValue) {
        guard let session: SessionID = json.textID("session"), let room = json.room("room"), let seq = json.int64("seq")
        else { return nil }
        var leftOut: ClosedRange<Int64>?
        if let first = json.int64("left_from"), let last = json.int64("left_through"), first <= last {
            leftOut = first...last
        }
        self.init(session: session, room: room, seq: seq, leftOut: leftOut)
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("session", session.description)
            json.field("room", room.description)
            json.field("seq", seq)
            if let leftOut {
                json.field("left_from", leftOut.lowerBound)
                json.field("left_through", leftOut.upperBound)
            }
        }
    }
}

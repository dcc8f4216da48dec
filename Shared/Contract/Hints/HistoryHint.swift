public import Wire

/// A history reply has brought a session up to a `seq` of a room, so its socket goes on after that.
///
/// chat-service publishes it before the reply leaves.
public struct HistoryHint: Hint {
    public static let redisChannel = "positions"

    public let session: SessionID
    public let room: RoomID
    public let seq: Int64

    public init(session: SessionID, room: RoomID, seq: Int64) {
        self.session = session
        self.room = room
        self.seq = seq
    }

    public init?(_ json: JSONValue) {
        guard let session: SessionID = json.textID("session"), let room = json.room("room"), let seq = json.int64("seq")
        else { return nil }
        self.init(session: session, room: room, seq: seq)
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("session", session.description)
            json.field("room", room.description)
            json.field("seq", seq)
        }
    }
}

public import Wire

extension SessionCursors {
    /// A socket that continues from a cursor.
    public struct SocketRecord: Sendable {
        let session: SessionID
        let room: RoomID
        let seq: Int64
        let socket: SessionCursor.Socket
        let heard: Timestamp

        /// - Parameters:
        ///   - seq: the socket was sent everything up to here.
        ///   - socket: with the seq up to which it may be sent messages before the next claim.
        ///   - heard: when its client joined or last answered a heartbeat.
        public init(session: SessionID, room: RoomID, seq: Int64, socket: SessionCursor.Socket, heard: Timestamp) {
            self.session = session
            self.room = room
            self.seq = seq
            self.socket = socket
            self.heard = heard
        }
    }

    /// A socket that left a room.
    public struct Release: Sendable {
        let session: SessionID
        /// The room that the socket left.
        public let room: RoomID
        let seq: Int64
        let name: String
        let claimed: Timestamp?
        let heard: Timestamp

        /// - Parameters:
        ///   - seq: the socket was sent everything up to here.
        ///   - claimed: when it joined; nil if it has made no claim. It takes no older socket's place then.
        ///   - heard: when its client joined or last answered a heartbeat.
        public init(
            session: SessionID, room: RoomID, seq: Int64, name: String, claimed: Timestamp?, heard: Timestamp
        ) {
            self.session = session
            self.room = room
            self.seq = seq
            self.name = name
            self.claimed = claimed
            self.heard = heard
        }
    }

    /// The outcome of a release.
    public enum ReleaseOutcome: Sendable {
        case written
        /// A newer socket of the session has the cursor.
        case superseded
        /// Redis did not answer.
        case lost
    }

    /// A part of a session's cursor that its writer still knows, and writes again for a Redis that may have lost it.
    public enum Known: Sendable {
        /// A socket is open.
        case socket(SocketRecord)
        /// A socket has left, and its session had no newer one.
        case release(Release)
        /// A client has confirmed everything up to `seq`.
        case confirmed(SessionID, RoomID, seq: Int64)
        /// A history reply held everything up to `seq`.
        case history(SessionID, RoomID, seq: Int64)
    }
}

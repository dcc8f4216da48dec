import Contract
import Postgres
import Wire

extension RoomID {
    /// The kind as the tables store it.
    var kindNumber: Int16 { Int16(kind.rawValue) }
}

extension RoomKey {
    /// The kind as the tables store it.
    var kindNumber: Int16 { id.kindNumber }
    /// The number of the channel or DM.
    var rawValue: Int64 { id.rawValue }
}

extension MessageKey {
    /// The kind of the room as the tables store it.
    var kindNumber: Int16 { room.kindNumber }
    /// The number of the channel or DM.
    var roomNumber: Int64 { room.rawValue }
}

extension Row {
    /// Reads the columns kind, id.
    mutating func nextRoom() throws(PostgresError) -> RoomID {
        let kind: Int16 = try next()
        let id: Int64 = try next()
        return RoomID(kind: kind == RoomID.Kind.dm.rawValue ? .dm : .channel, rawValue: id)
    }

    /// Reads the columns workspace, kind, id.
    mutating func nextRoomKey() throws(PostgresError) -> RoomKey {
        RoomKey(workspace: try next(), id: try nextRoom())
    }

    /// Reads the columns workspace, kind, room, seq.
    mutating func nextMessageKey() throws(PostgresError) -> MessageKey {
        MessageKey(try nextRoomKey(), seq: try next())
    }
}

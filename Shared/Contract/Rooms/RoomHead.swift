/// How far a room has come.
public struct RoomHead: Sendable, Equatable {
    /// The `seq` of the newest message; 0 if there is none.
    public let seq: Int64
    /// The revision of the last change to a message; 0 if there was none.
    public let rev: Int64

    public static let empty = RoomHead(seq: 0, rev: 0)

    public init(seq: Int64, rev: Int64) {
        self.seq = seq
        self.rev = rev
    }
}

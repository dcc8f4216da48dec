internal import Wire

/// A message after one change or several, with the revisions of the room that it accounts for.
public struct RoomChange: Sendable, Equatable {
    /// The whole message as of the newest of the revisions.
    public let message: RoomMessage
    /// Ascending. The earlier ones belong to changes of this message that this one supersedes.
    public let revs: [Int64]
    /// If set, other messages have changed as well after this revision, and have no events of their own: a gateway asks
    /// chat-service for them.
    public let othersAfter: Int64?

    /// A change that only accounts for the message's own revision.
    public init(_ message: RoomMessage) { self.init(message, revs: [message.body.revision?.rev ?? 0]) }

    public init(_ message: RoomMessage, revs: [Int64], othersAfter: Int64? = nil) {
        self.message = message
        self.revs = revs
        self.othersAfter = othersAfter
    }

    /// The newest revision.
    public var rev: Int64 { revs.last ?? 0 }
}

extension RoomChange {
    /// Reads the members of a room event of type `changed`.
    init?(_ json: JSONValue, room: RoomID) {
        guard let message = RoomMessage(json, room: room), message.body.revision != nil,
            let revs = json["revs"]?.array({ $0.int.map { Int64($0) } }), !revs.isEmpty
        else { return nil }
        self.init(message, revs: revs, othersAfter: json.int64("others_after"))
    }

    /// Writes the members of a room event of type `changed`.
    func writeMembers(to json: inout JSONWriter) {
        message.writeMembers(to: &json, type: "changed")
        json.array("revs") { json in for rev in revs { json.value(rev) } }
        if let othersAfter { json.field("others_after", othersAfter) }
    }
}

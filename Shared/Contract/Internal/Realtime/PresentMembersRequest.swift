public import Wire

/// Asks realtime-gateway which of these members of a room are present now, 1,000 members at most.
public struct PresentMembersRequest: InternalRequest {
    public typealias Reply = UsersReply

    public static let route = InternalRoute.idempotentPost("/internal/rooms/{room}/present")

    public let room: RoomID
    public let users: [UserID]

    public init(room: RoomID, users: [UserID]) {
        self.room = room
        self.users = users
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(room: try request.room("room"), users: try request.memberIDs("ids"))
    }

    public func write(to request: inout InternalRequestWriter) {
        request.parameter(room)
        request.body { json in json.field("ids", users.map(\.description)) }
    }
}

public import Wire

/// A call about many users, `InternalRequestReader.bulkLimit` at most: its body is their ids, `{"ids": […]}`.
public protocol UsersRequest: InternalRequest {
    var users: [UserID] { get }

    init(users: [UserID])
}

extension UsersRequest {
    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(users: try request.memberIDs("ids"))
    }

    public func write(to request: inout InternalRequestWriter) {
        request.body { json in json.field("ids", users.map(\.description)) }
    }
}

/// Some of the users that a call was about.
public struct UsersReply: WireMessage {
    public let users: [UserID]

    public init(users: [UserID]) { self.users = users }

    public init?(_ json: JSONValue) {
        guard let users: [UserID] = json.textIDs("ids") else { return nil }
        self.init(users: users)
    }

    public func write(to json: inout JSONWriter) { json.object { $0.field("ids", users.map(\.description)) } }
}

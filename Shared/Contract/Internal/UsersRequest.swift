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

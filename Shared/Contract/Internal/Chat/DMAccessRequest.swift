public import Wire

/// Asks chat-service for the DM rooms among these that a user is in; 1,000 rooms at most.
public struct DMAccessRequest: InternalRequest {
    public typealias Reply = DMAccessReply

    public static let route = InternalRoute.idempotentPost("/internal/dms/access")

    public let user: UserID
    public let rooms: [DMID]

    public init(user: UserID, rooms: [DMID]) {
        self.user = user
        self.rooms = rooms
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(user: try request.memberID("user_id"), rooms: try request.memberIDs("rooms"))
    }

    public func write(to request: inout InternalRequestWriter) {
        request.body { json in
            json.field("user_id", user.description)
            json.field("rooms", rooms.map(\.description))
        }
    }
}

public struct DMAccessReply: WireMessage {
    public let dms: [DMAccess]

    public init(dms: [DMAccess]) { self.dms = dms }

    public init?(_ json: JSONValue) { self.init(dms: json.list("dms")) }

    public var sizeHint: Int { 128 * dms.count + 32 }

    public func write(to json: inout JSONWriter) { json.object { $0.field("dms", dms) } }
}

/// A DM room of a user. A user is in no DM room of a workspace after leaving it.
public struct DMAccess: WireMessage {
    public let id: DMID
    public let workspace: WorkspaceID
    /// The two users of the room.
    public let users: [UserID]
    /// False once one of the two has left the workspace.
    public let isOpen: Bool

    public init(id: DMID, workspace: WorkspaceID, users: [UserID], isOpen: Bool) {
        self.id = id
        self.workspace = workspace
        self.users = users
        self.isOpen = isOpen
    }

    public init?(_ json: JSONValue) {
        guard let id: DMID = json.textID("room_id"), let workspace: WorkspaceID = json.textID("workspace_id"),
            let users: [UserID] = json.textIDs("users"), let isOpen = json.bool("open")
        else { return nil }
        self.init(id: id, workspace: workspace, users: users, isOpen: isOpen)
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("room_id", id.description)
            json.field("workspace_id", workspace.description)
            json.field("users", users.map(\.description))
            json.field("open", isOpen)
        }
    }
}

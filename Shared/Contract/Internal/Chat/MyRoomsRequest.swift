public import Wire

/// Asks chat-service for the start of a user's `/me` socket: the user's rooms in all workspaces, profile and settings. The
/// caller names the channels, because workspace-service owns their members; chat-service adds the DMs. Gateways of an older
/// release send it, and newer ones to a chat-service that does not know `StartsRequest`.
public struct MyRoomsRequest: InternalRequest {
    public typealias Reply = MyRoomsReply

    public static let route = InternalRoute.idempotentPost("/internal/users/{id}/rooms")
    public static let largestReply = StartsRequest.largestReply

    /// A channel that the user is a member of.
    public struct Channel: WireMessage, Equatable {
        public let id: ChannelID
        public let workspace: WorkspaceID
        public let name: String

        public init(id: ChannelID, workspace: WorkspaceID, name: String) {
            self.id = id
            self.workspace = workspace
            self.name = name
        }

        public init?(_ json: JSONValue) {
            guard let id: ChannelID = json.textID("channel_id"),
                let workspace: WorkspaceID = json.textID("workspace_id"), let name = json.string("name")
            else { return nil }
            self.init(id: id, workspace: workspace, name: name)
        }

        public func write(to json: inout JSONWriter) {
            json.object { json in
                json.field("channel_id", id.description)
                json.field("workspace_id", workspace.description)
                json.field("name", name)
            }
        }
    }

    public let user: UserID
    /// The name of the client profile for which the views are written.
    public let profile: String
    public let channels: [Channel]

    public init(user: UserID, profile: String, channels: [Channel]) {
        self.user = user
        self.profile = profile
        self.channels = channels
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(
            user: try request.id("id"), profile: try request.memberText("profile"),
            channels: try request.memberList("channels"))
    }

    public func write(to request: inout InternalRequestWriter) {
        request.parameter(user)
        request.body { json in
            json.field("profile", profile)
            json.field("channels", channels)
        }
    }
}

/// The views in it are JSON as the client receives it, so that a gateway forwards them as they are.
public struct MyRoomsReply: WireMessage {
    /// A room of the user.
    public struct Room: WireMessage {
        public let room: RoomID
        public let workspace: WorkspaceID
        public let head: RoomHead
        public let unread: Int64
        /// The room as in the list of rooms.
        public let summary: [UInt8]

        public init(room: RoomID, workspace: WorkspaceID, head: RoomHead, unread: Int64, summary: [UInt8]) {
            self.room = room
            self.workspace = workspace
            self.head = head
            self.unread = unread
            self.summary = summary
        }

        public init?(_ json: JSONValue) {
            guard let room = json.room("room"), let workspace: WorkspaceID = json.textID("workspace_id"),
                let seq = json.int64("seq"), let rev = json.int64("rev"), let unread = json.int64("unread"),
                let summary = json["summary"]
            else { return nil }
            self.init(
                room: room, workspace: workspace, head: RoomHead(seq: seq, rev: rev), unread: unread,
                summary: summary.text)
        }

        public func write(to json: inout JSONWriter) {
            json.object { json in
                json.field("room", room.description)
                json.field("workspace_id", workspace.description)
                json.field("seq", head.seq)
                json.field("rev", head.rev)
                json.field("unread", unread)
                json.field("summary") { $0.raw(summary) }
            }
        }
    }

    /// The user's profile.
    public let user: [UInt8]
    public let settings: [UInt8]
    public let rooms: [Room]
    /// The workspaces whose rooms are missing because their part of the database is out of reach.
    public let unavailable: [WorkspaceID]

    public init(user: [UInt8], settings: [UInt8], rooms: [Room], unavailable: [WorkspaceID] = []) {
        self.user = user
        self.settings = settings
        self.rooms = rooms
        self.unavailable = unavailable
    }

    public init?(_ json: JSONValue) {
        guard let user = json["user"], let settings = json["settings"] else { return nil }
        self.init(
            user: user.text, settings: settings.text, rooms: json.list("rooms"),
            unavailable: json.textIDs("unavailable") ?? [])
    }

    public var sizeHint: Int { rooms.reduce(512) { $0 + 128 + $1.summary.count } }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("user") { $0.raw(user) }
            json.field("settings") { $0.raw(settings) }
            json.field("rooms", rooms)
            if !unavailable.isEmpty { json.field("unavailable", unavailable.map(\.description)) }
        }
    }
}

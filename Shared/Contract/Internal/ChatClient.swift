public import Wire

/// The internal API of chat-service.
public struct ChatClient: Sendable {
    private let client: InternalClient

    /// Rooms in one call; who asks about more makes several.
    private static let roomsPerCall = 1000
    /// Bytes of content in a page of events, with room for one more message in a reply of a megabyte.
    private static let bytesPerCall = 256 * 1024

    public init(_ client: InternalClient) { self.client = client }

    /// What happened in a room after a message.
    public struct Since: Sendable {
        /// False when some of it no longer exists.
        public let isComplete: Bool
        /// The newest seq of the room.
        public let head: Int64
        /// The seq up to which there are no others.
        public let end: Int64
        /// Oldest first.
        public let events: [RoomEvent]
    }

    /// The events of a room with a seq above `after`, at most `limit`, and fewer where they are large.
    public func events(of room: RoomID, after: Int64, limit: Int = 500) async throws -> Since {
        let json = try await client.get(
            "/internal/rooms/\(room)/messages?after_seq=\(after)&limit=\(limit)&bytes=\(Self.bytesPerCall)")
        guard let isComplete = json["complete"]?.bool, let head = json["head"]?.int,
            let events = json["events"]?.elements
        else { throw Failure.unavailable }
        // Who does not tell the end has not heeded the bytes either.
        let end = json["end"]?.int.map { Int64($0) } ?? max(after, min(Int64(head), after + Int64(limit)))
        return Since(isComplete: isComplete, head: Int64(head), end: end, events: events.compactMap(RoomEvent.init))
    }

    /// The newest seq of each room that has messages.
    public func heads(of rooms: [RoomID]) async throws -> [RoomID: Int64] {
        if rooms.isEmpty { return [:] }
        var heads: [RoomID: Int64] = [:]
        for start in stride(from: 0, to: rooms.count, by: Self.roomsPerCall) {
            let some = rooms[start...].prefix(Self.roomsPerCall)
            let json = try await client.ask("/internal/rooms/heads") { json in
                json.field("rooms", some.map(\.description))
            }
            for head in json["heads"]?.elements.map(Array.init) ?? [] {
                guard let room = head["room"]?.string.flatMap(RoomID.init), let seq = head["seq"]?.int else { continue }
                heads[room] = Int64(seq)
            }
        }
        return heads
    }

    /// How far a session's history replies went of which Redis could not be told; 0 where there were none.
    public func toldPosition(of session: SessionID, in room: RoomID) async throws -> Int64 {
        guard let seq = try await client.get("/internal/rooms/\(room)/positions/\(session)")["seq"]?.int else {
            throw Failure.unavailable
        }
        return Int64(seq)
    }

    /// Those of these DM rooms that are the user's.
    public func dms(_ ids: [DMID], of user: UserID) async throws -> [DMAccess] {
        let json = try await client.ask("/internal/dms/access") { json in
            json.field("user_id", user.description)
            json.field("rooms", ids.map(\.description))
        }
        return json["dms"]?.elements?.compactMap(DMAccess.init) ?? []
    }
}

/// A DM room of someone.
public struct DMAccess: Sendable, Equatable {
    public let id: DMID
    public let workspace: WorkspaceID
    /// The two.
    public let users: [UserID]
    /// False once one of the two has left the workspace.
    public let isOpen: Bool

    init?(_ json: JSONValue) {
        guard
            let id = json["room_id"]?.string.flatMap(DMID.init),
            let workspace = json["workspace_id"]?.string.flatMap(WorkspaceID.init),
            let users = json["users"]?.elements?.map({ $0.string.flatMap(UserID.init) }), !users.contains(nil),
            let isOpen = json["open"]?.bool
        else { return nil }
        self.id = id
        self.workspace = workspace
        self.users = users.compactMap { $0 }
        self.isOpen = isOpen
    }
}

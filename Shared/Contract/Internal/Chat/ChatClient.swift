public import Wire

/// The internal API of chat-service.
public struct ChatClient: Sendable {
    private let client: InternalClient

    /// Rooms in one call; a request for more rooms becomes several calls.
    private static let roomsPerCall = 1000
    /// Bytes of content in a page of events. With one more message the reply still stays below a megabyte.
    private static let bytesPerCall = 256 * 1024

    public init(_ client: InternalClient) { self.client = client }

    /// The events of a room with a `seq` above `after`: at most `limit`, and fewer if they are large.
    public func events(of room: RoomID, after: Int64, limit: Int = 500) async throws -> RoomEventsReply {
        try await client.send(RoomEventsRequest(room: room, after: after, limit: limit, bytes: Self.bytesPerCall))
    }

    /// The messages of a room that changed after a revision: at most `limit`, and fewer if they are large. A message may have
    /// 20 kilobytes of reactions, so the default keeps the reply below a megabyte.
    public func changes(of room: RoomID, after: Int64, limit: Int = 30) async throws -> RoomChangesReply {
        try await client.send(RoomChangesRequest(room: room, after: after, limit: limit))
    }

    /// The newest `seq` and the revision of each room that has messages. Throws if a room is out of reach.
    public func heads(of rooms: [RoomID]) async throws -> [RoomID: RoomHead] {
        let heads = try await reachableHeads(of: rooms)
        if heads.count < Set(rooms).count { throw Failure.serverError }
        return heads.filter { $0.value != .empty }
    }

    /// The newest `seq` and the revision of each room, zeros for one without messages. Rooms in a part of the database that does not
    /// answer are missing.
    public func reachableHeads(of rooms: [RoomID]) async throws -> [RoomID: RoomHead] {
        var heads = Dictionary(rooms.map { ($0, RoomHead.empty) }) { first, _ in first }
        for start in stride(from: 0, to: rooms.count, by: Self.roomsPerCall) {
            let some = rooms[start...].prefix(Self.roomsPerCall)
            let reply = try await client.send(RoomHeadsRequest(rooms: Array(some)))
            for head in reply.heads { heads[head.room] = RoomHead(seq: head.seq, rev: head.rev) }
            for room in reply.lost { heads[room] = nil }
        }
        return heads
    }

    /// The history cursor of a session in a room as stored while Redis could not store it; 0 if there is none.
    public func historyCursor(of session: SessionID, in room: RoomID) async throws -> Int64 {
        try await client.send(HistoryCursorRequest(session: session, room: room)).seq
    }

    /// The members of a room that a message is pushed to now, and the badges of some of them.
    public func pushDecisions(
        for users: [UserID], badges: [UserID], of seq: Int64, in room: RoomID
    ) async throws -> PushDecisionsReply {
        if users.isEmpty { return PushDecisionsReply(groups: [], badges: []) }
        return try await client.send(PushDecisionsRequest(room: room, seq: seq, users: users, badges: badges))
    }

    /// The badges of users, 1,000 at most.
    public func badges(of users: [UserID]) async throws -> BadgesReply {
        if users.isEmpty { return BadgesReply(badges: []) }
        return try await client.send(BadgesRequest(users: users))
    }

    /// Whether a member of a workspace is neither muted nor suspended there.
    public func mayWrite(_ user: UserID, in workspace: WorkspaceID) async throws -> Bool {
        do {
            return try await client.send(WritersRequest(workspace: workspace, users: [user])).users.contains(user)
        } catch let failure as Failure where failure.code == .unknownRoute {
            // During an upgrade a chat-service of an older release may answer. Until then everybody could.
            return true
        }
    }

    /// The DM rooms among these that the user is in.
    public func dms(_ ids: [DMID], of user: UserID) async throws -> [DMAccess] {
        try await client.send(DMAccessRequest(user: user, rooms: ids)).dms
    }

    /// Does a call of a `/me` socket, and returns the result as its client receives it.
    public func perform<Request: InternalRequest>(_ request: Request) async throws -> [UInt8]
    where Request.Reply == MeReply { try await client.send(request).result }

    /// The start of a user's `/me` socket: the rooms, which are these channels and all DMs, the profile and the settings.
    public func rooms(
        of user: UserID, in channels: [MyRoomsRequest.Channel], for profile: ClientProfile
    ) async throws -> MyRoomsReply {
        try await client.send(MyRoomsRequest(user: user, profile: profile.name, channels: channels))
    }

    /// The starts of the `/me` sockets of several users; those that could not be read are missing.
    public func starts(of users: [StartsRequest.User], for profile: ClientProfile) async throws -> [StartsReply.Start] {
        if users.isEmpty { return [] }
        let reply = try await client.send(StartsRequest(profile: profile.name, users: users))
        var starts = reply.starts
        for user in users where users.count > 1 && reply.left.contains(user.id) {
            let own = try? await client.send(StartsRequest(profile: profile.name, users: [user]))
            starts += own?.starts ?? []
        }
        return starts
    }
}

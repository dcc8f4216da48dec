public import Redis
public import Wire

/// The session cursors in Redis: up to which `seq` each session has been sent the messages of each room. The gateway to
/// which the session's next socket connects reads them.
///
/// A cursor is a Redis hash `position:<session>:<room>` that expires after `position_memory`. Its fields:
/// - `seq`, the cursor. It only grows, even if writers are late or repeat themselves.
/// - `told`, the time at which a history reply set the cursor, in milliseconds since 1970. It is removed when a socket
///   goes on from there.
/// - `live`, the name of the socket that receives the room's messages. Only that socket removes its name, so a late
///   release does not disturb a socket that has taken over.
/// - `end`, the `seq` up to which the live socket may have been sent messages while it is catching up.
public struct SessionCursors: Sendable {
    /// The cursor of a session in a room.
    public struct Entry: Sendable, Equatable {
        public let seq: Int64
        /// The time at which a history reply set the cursor; nil if a socket has gone on from there.
        public let told: Timestamp?
        /// The socket that had not left the room when the cursor was read; it may have been sent more messages.
        public let live: String?
        /// The `seq` up to which that socket may have been sent messages; nil if it is not known to be catching up.
        public let end: Int64?
    }

    /// A socket that leaves a room.
    public struct Leaving: Sendable {
        public let session: SessionID
        public let room: RoomID
        public let seq: Int64
        public let live: String

        public init(session: SessionID, room: RoomID, seq: Int64, live: String) {
            self.session = session
            self.room = room
            self.seq = seq
            self.live = live
        }
    }

    /// A setting of all services that write cursors; if they differ, the cursors of the service with the shorter time
    /// expire earlier.
    public static let memoryKey = ConfigKey(
        "position_memory", default: Duration.seconds(7 * 86_400), atLeast: .seconds(3600),
        "How long the cursor of a session in a room is kept after its last change. The next socket of the session goes on "
            + "from there. Use the same value for chat-service and realtime-gateway.")

    private let redis: Redis
    /// Seconds.
    private let lifetime: Int

    private static let raising = """
        local function raise(seq)
            local known = redis.call('HGET', KEYS[1], 'seq')
            if not known or tonumber(seq) > tonumber(known) then redis.call('HSET', KEYS[1], 'seq', seq) end
            redis.call('EXPIRE', KEYS[1], ARGV[1])
        end

        """
    private static let historyScript = RedisScript(
        raising + "raise(ARGV[2]) redis.call('HSET', KEYS[1], 'told', ARGV[3]) return 1")
    private static let raiseScript = RedisScript(raising + "raise(ARGV[2]) return 1")
    private static let claimScript = RedisScript(
        raising
            + """
            raise(ARGV[2])
            redis.call('HSET', KEYS[1], 'live', ARGV[3])
            redis.call('HDEL', KEYS[1], 'told', 'end')
            if ARGV[4] then redis.call('HSET', KEYS[1], 'end', ARGV[4]) end
            return 1
            """)
    private static let releaseScript = RedisScript(
        raising + """
            local live = redis.call('HGET', KEYS[1], 'live')
            if live and live ~= ARGV[3] then return 0 end
            raise(ARGV[2])
            -- Without a name Redis has lost the cursor, and a history reply may have set it since.
            if live then redis.call('HDEL', KEYS[1], 'live', 'told', 'end') end
            return 1
            """)

    /// - Parameter memory: whole seconds.
    public init(redis: Redis, memory: Duration) {
        self.redis = redis
        lifetime = Int(memory.components.seconds)
    }

    /// The cursor; nil if there is none.
    public func find(_ session: SessionID, _ room: RoomID) async throws(RedisError) -> Entry? {
        let reply = try await redis.run(RedisCommand("HMGET", Self.key(session, room), "seq", "told", "live", "end"))
        guard let fields = reply.array, fields.count == 4, let seq = fields[0].text.flatMap(Int64.init) else {
            return nil
        }
        let told = fields[1].text.flatMap(Int64.init).map { Timestamp(milliseconds: $0) }
        return Entry(seq: seq, told: told, live: fields[2].text, end: fields[3].text.flatMap(Int64.init))
    }

    /// Raises the cursor to the end of a history reply.
    ///
    /// - Parameter limit: how long the call waits for Redis; nil for the connection's own time-out.
    public func setHistory(
        _ session: SessionID, _ room: RoomID, _ seq: Int64, within limit: Duration? = nil
    ) async throws(RedisError) {
        try await redis.run(
            Self.historyScript, keys: [Self.key(session, room)], lifetime, seq, Timestamp.now.milliseconds,
            within: limit)
    }

    /// Raises the cursor to a `seq` that the session has confirmed.
    public func raise(_ session: SessionID, _ room: RoomID, to seq: Int64) async throws(RedisError) {
        try await redis.run(Self.raiseScript, keys: [Self.key(session, room)], lifetime, seq)
    }

    /// Raises the cursor to `seq` and names the socket that receives the messages after it.
    ///
    /// - Parameter end: the socket is catching up and is sent no message after this `seq` before the next call; nil if
    ///   it is live.
    public func claim(
        _ session: SessionID, _ room: RoomID, at seq: Int64, upTo end: Int64? = nil, for live: String
    ) async throws(RedisError) {
        let key = Self.key(session, room)
        if let end {
            try await redis.run(Self.claimScript, keys: [key], lifetime, seq, live, end)
        } else {
            try await redis.run(Self.claimScript, keys: [key], lifetime, seq, live)
        }
    }

    /// Raises the cursors of sockets that leave their rooms and removes the sockets' names.
    ///
    /// - Returns: for each socket, whether Redis has stored it.
    public func release(_ leavings: [Leaving]) async -> [Bool] {
        await redis.run(
            Self.releaseScript,
            many: leavings.map { ([Self.key($0.session, $0.room)], [lifetime, $0.seq, $0.live]) }
        ).map { if case .success = $0 { true } else { false } }
    }

    private static func key(_ session: SessionID, _ room: RoomID) -> RedisKey { "position:\(session):\(room)" }
}

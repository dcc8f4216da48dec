public import Redis
public import Wire

/// How far each session has been brought in each room, for the gateway that its next socket comes to.
///
/// A Redis hash `position:<session>:<room>`, forgotten after `position_memory`. `seq` is the position and only grows, whoever writes
/// late or twice. `told` is when a history reply told it, in milliseconds since 1970, until a socket goes on from there.
/// `live` names the socket that gets the room's messages now, and only that socket may take its name away: another that
/// took over meanwhile is not disturbed. While that one catches up, `end` tells up to where it may have been sent messages.
public struct SessionPositions: Sendable {
    /// What is known of a session in a room.
    public struct Entry: Sendable, Equatable {
        public let seq: Int64
        /// When a history reply told it; nil where a socket has gone on from there.
        public let told: Timestamp?
        /// The socket that had not left when this was read: it may have been sent more.
        public let live: String?
        /// Up to where that socket may have been sent messages; nil where it is not known to be behind the others.
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

    /// A setting of all services that write positions: what one writes shorter is forgotten that much earlier.
    public static let memoryKey = ConfigKey(
        "position_memory", default: Duration.seconds(7 * 86_400), atLeast: .seconds(3600),
        "How long it is remembered how far a session has come in a room, so that it goes on from there; the same for "
            + "chat-service and realtime-gateway.")

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
    private static let tellScript = RedisScript(
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
            -- Without a name Redis has lost what was there, and perhaps heard of a history since.
            if live then redis.call('HDEL', KEYS[1], 'live', 'told', 'end') end
            return 1
            """)

    /// - Parameter memory: whole seconds.
    public init(redis: Redis, memory: Duration) {
        self.redis = redis
        lifetime = Int(memory.components.seconds)
    }

    /// What is known; nil where nothing is.
    public func find(_ session: SessionID, _ room: RoomID) async throws(RedisError) -> Entry? {
        let reply = try await redis.run(RedisCommand("HMGET", Self.key(session, room), "seq", "told", "live", "end"))
        guard let fields = reply.array, fields.count == 4, let seq = fields[0].text.flatMap(Int64.init) else {
            return nil
        }
        let told = fields[1].text.flatMap(Int64.init).map { Timestamp(milliseconds: $0) }
        return Entry(seq: seq, told: told, live: fields[2].text, end: fields[3].text.flatMap(Int64.init))
    }

    /// A history reply holds everything up to `seq`.
    public func tell(
        _ session: SessionID, _ room: RoomID, _ seq: Int64, within limit: Duration? = nil
    ) async throws(RedisError) {
        try await redis.run(
            Self.tellScript, keys: [Self.key(session, room)], lifetime, seq, Timestamp.now.milliseconds,
            within: limit)
    }

    /// The session has confirmed everything up to `seq`.
    public func raise(_ session: SessionID, _ room: RoomID, to seq: Int64) async throws(RedisError) {
        try await redis.run(Self.raiseScript, keys: [Self.key(session, room)], lifetime, seq)
    }

    /// The socket `live` is about to be sent what is behind `seq`, and may have been sent everything up to it.
    ///
    /// - Parameter end: it is sent no more than up to here before it is claimed again; nil where it is sent what the others are.
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

    /// These sockets get nothing more, and were sent everything up to their `seq`.
    ///
    /// - Returns: for each whether Redis knows.
    public func release(_ leavings: [Leaving]) async -> [Bool] {
        await redis.run(
            Self.releaseScript,
            many: leavings.map { ([Self.key($0.session, $0.room)], [lifetime, $0.seq, $0.live]) }
        ).map { if case .success = $0 { true } else { false } }
    }

    private static func key(_ session: SessionID, _ room: RoomID) -> RedisKey { "position:\(session):\(room)" }
}

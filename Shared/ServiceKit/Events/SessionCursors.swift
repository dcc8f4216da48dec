public import Redis
public import Wire

/// The session cursors in Redis, which chat-service and the gateways share.
///
/// A cursor is a hash `position:<session>:<room>`, kept for `position_memory`:
///
/// - `seq` and `history` are those of `SessionCursor`. They only grow, so late and repeated writes do no harm.
/// - `told` is the time of the last history reply, until a socket goes on from there.
/// - `live`, `from`, `joined` and `end` describe the newest socket. An older socket of the session cannot overwrite them.
/// - `reading` is the start of a history call that has not been answered.
///
/// Times are milliseconds since 1970, by the clock of the writer: clocks have to agree to a few milliseconds.
public struct SessionCursors: Sendable {
    /// A socket that goes on from a cursor.
    public struct SocketRecord: Sendable {
        let session: SessionID
        let room: RoomID
        let seq: Int64
        let socket: SessionCursor.Socket

        /// - Parameters:
        ///   - seq: the socket was sent everything up to here.
        ///   - socket: with the seq up to which it may be sent messages before the next claim.
        public init(session: SessionID, room: RoomID, seq: Int64, socket: SessionCursor.Socket) {
            self.session = session
            self.room = room
            self.seq = seq
            self.socket = socket
        }
    }

    /// A socket that left a room.
    public struct Release: Sendable {
        let session: SessionID
        let room: RoomID
        let seq: Int64
        let name: String

        /// - Parameter seq: the socket was sent everything up to here.
        public init(session: SessionID, room: RoomID, seq: Int64, name: String) {
            self.session = session
            self.room = room
            self.seq = seq
            self.name = name
        }
    }

    /// A setting of all services that write cursors: a shorter value in one of them shortens the memory for all.
    public static let memoryKey = ConfigKey(
        "position_memory", default: Duration.seconds(7 * 86_400), atLeast: .seconds(3600),
        "How long session cursors are kept, which tell how far a session was sent a room's messages. Use the same value for "
            + "chat-service and realtime-gateway.")

    private let redis: Redis
    /// Seconds.
    private let lifetime: Int

    private static let fields = "'seq', 'history', 'told', 'live', 'from', 'joined', 'end', 'reading'"
    private static let raising = """
        local function raise(field, seq)
            local known = redis.call('HGET', KEYS[1], field)
            if not known or tonumber(seq) > tonumber(known) then redis.call('HSET', KEYS[1], field, seq) end
            redis.call('EXPIRE', KEYS[1], ARGV[1])
        end

        """
    private static let reportScript = RedisScript(
        raising + """
            raise('seq', ARGV[2])
            local from, joined = redis.call('HGET', KEYS[1], 'from'), redis.call('HGET', KEYS[1], 'joined')
            local held = tonumber(ARGV[2])
            -- The reply may leave out later messages: another socket of the session still needs them.
            if from and joined and tonumber(joined) > tonumber(ARGV[5]) then held = math.min(held, tonumber(from)) end
            raise('history', held)
            redis.call('HSET', KEYS[1], 'told', ARGV[3])
            if redis.call('HGET', KEYS[1], 'reading') == ARGV[4] then redis.call('HDEL', KEYS[1], 'reading') end
            return redis.call('HMGET', KEYS[1], \(fields))
            """)
    private static let endScript = RedisScript(
        """
        if redis.call('HGET', KEYS[1], 'reading') == ARGV[1] then redis.call('HDEL', KEYS[1], 'reading') end
        return 1
        """)
    private static let raiseScript = RedisScript(raising + "raise('seq', ARGV[2]) return 1")
    private static let claimScript = RedisScript(
        raising + """
            local joined = redis.call('HGET', KEYS[1], 'joined')
            local live = redis.call('HGET', KEYS[1], 'live')
            if live and live ~= ARGV[3] and joined and tonumber(joined) > tonumber(ARGV[5]) then return 0 end
            raise('seq', ARGV[2])
            redis.call('HSET', KEYS[1], 'live', ARGV[3], 'from', ARGV[4], 'joined', ARGV[5])
            redis.call('HDEL', KEYS[1], 'told', 'end')
            if ARGV[6] then redis.call('HSET', KEYS[1], 'end', ARGV[6]) end
            return 1
            """)
    private static let releaseScript = RedisScript(
        raising + """
            local live = redis.call('HGET', KEYS[1], 'live')
            if live and live ~= ARGV[3] then return 0 end
            raise('seq', ARGV[2])
            -- Without a name Redis has lost the record, and may have been told of a history reply since.
            if live then redis.call('HDEL', KEYS[1], 'live', 'from', 'joined', 'told', 'end') end
            return 1
            """)

    /// - Parameter memory: whole seconds.
    public init(redis: Redis, memory: Duration) {
        self.redis = redis
        lifetime = Int(memory.components.seconds)
    }

    /// The cursor of a session in a room; nil where nothing is known.
    public func find(
        _ session: SessionID, _ room: RoomID, within limit: Duration? = nil
    ) async throws(RedisError) -> SessionCursor? {
        let command = RedisCommand(
            "HMGET", Self.key(session, room), "seq", "history", "told", "live", "from", "joined", "end", "reading")
        return SessionCursor(try await redis.run(command, within: limit))
    }

    // MARK: History

    /// A history call has begun. Nobody waits for the write: it only makes a socket wait that joins meanwhile.
    ///
    /// - Returns: the token for `report` or `endRead`.
    public func beginRead(_ session: SessionID, _ room: RoomID) -> Timestamp {
        let now = Timestamp.now
        redis.post(RedisCommand("HSET", Self.key(session, room), "reading", now.milliseconds))
        redis.post(RedisCommand("EXPIRE", Self.key(session, room), lifetime))
        return now
    }

    /// The history call has failed, or has no reply that a socket goes on from.
    public func endRead(_ session: SessionID, _ room: RoomID, begun: Timestamp) {
        redis.post(RedisCommand("EVAL", Self.endScript.source, 1, Self.key(session, room), begun.milliseconds))
    }

    /// A history reply holds everything up to `seq`.
    ///
    /// - Parameter mayLeaveOut: whether the reply may leave out messages that the joining socket is sent.
    /// - Returns: the cursor as it is now.
    @discardableResult
    public func report(
        _ session: SessionID, _ room: RoomID, _ seq: Int64, begun: Timestamp? = nil, mayLeaveOut: Bool = false,
        within limit: Duration? = nil
    ) async throws(RedisError) -> SessionCursor? {
        let now = Timestamp.now
        let joinedAfter = mayLeaveOut ? (now - SessionCursor.joining).milliseconds : .max
        return SessionCursor(
            try await redis.run(
                Self.reportScript, keys: [Self.key(session, room)], lifetime, seq, now.milliseconds,
                begun?.milliseconds ?? 0, joinedAfter, within: limit))
    }

    // MARK: Sockets

    /// The seq up to which the sockets of a gateway loop may have been sent a room's messages; 0 where that is unknown.
    public func reservation(
        of loop: String, in room: RoomID, within limit: Duration? = nil
    ) async throws(RedisError) -> Int64 {
        let reply = try await redis.run(RedisCommand("GET", Self.reservationKey(loop, room)), within: limit)
        return reply.text.flatMap(Int64.init) ?? 0
    }

    /// The session has confirmed everything up to `seq`.
    public func raise(_ session: SessionID, _ room: RoomID, to seq: Int64) async throws(RedisError) {
        try await redis.run(Self.raiseScript, keys: [Self.key(session, room)], lifetime, seq)
    }

    /// A socket is about to be sent messages; it takes the place of an older socket of its session.
    public func write(_ record: SocketRecord) async throws(RedisError) {
        let key = Self.key(record.session, record.room)
        let (name, start) = (record.socket.name, record.socket.start ?? record.seq)
        let joined = record.socket.joined?.milliseconds ?? 0
        if let end = record.socket.end {
            try await redis.run(Self.claimScript, keys: [key], lifetime, record.seq, name, start, joined, end)
        } else {
            try await redis.run(Self.claimScript, keys: [key], lifetime, record.seq, name, start, joined)
        }
    }

    /// These sockets are sent nothing more.
    ///
    /// - Returns: for each whether it was written.
    public func write(_ releases: [Release]) async -> [Bool] {
        await redis.run(
            Self.releaseScript,
            many: releases.map { ([Self.key($0.session, $0.room)], [lifetime, $0.seq, $0.name]) }
        ).map { if case .success = $0 { true } else { false } }
    }

    // MARK: Keys

    /// Where a gateway loop writes up to where it may have sent a room's messages.
    public static func reservationKey(_ loop: String, _ room: RoomID) -> RedisKey { "sent:\(loop):\(room)" }

    private static func key(_ session: SessionID, _ room: RoomID) -> RedisKey { "position:\(session):\(room)" }
}

extension SessionCursor {
    /// Reads the reply to HMGET with the fields of a cursor; nil where it has none of them.
    fileprivate init?(_ reply: RedisValue) {
        guard let fields = reply.array, fields.count == 8, fields.contains(where: { $0.text != nil }) else {
            return nil
        }
        func number(_ index: Int) -> Int64? { fields[index].text.flatMap(Int64.init) }
        func time(_ index: Int) -> Timestamp? { number(index).map { Timestamp(milliseconds: $0) } }
        let socket = fields[3].text.map { Socket(name: $0, start: number(4), joined: time(5), end: number(6)) }
        self.init(seq: number(0), history: number(1), reported: time(2), socket: socket, reading: time(7))
    }
}

internal import Contract
public import Redis
public import Wire

/// The session cursors in Redis, which chat-service and the gateways share.
///
/// A cursor is a hash `position:<session>:<room>`, kept for `position_memory`:
///
/// - `seq` and `history` are those of `SessionCursor`. They only grow, so late and repeated writes do no harm. But
///   when a newer socket takes an older one's place, messages that only the older one was sent no longer count.
/// - `told` is the time of the last history reply, until a socket continues from there.
/// - `live`, `from`, `joined`, `heard` and `end` describe the newest socket. An older socket of the session cannot overwrite them.
///   `joined` stays when the socket leaves: an older one may be half-open, and moves the cursor only if its client has
///   been heard since.
/// - `read` is the start of the newest history call that has been answered.
///
/// Beside it, `reading:<session>:<room>` is the start of the newest history call. It expires after five seconds, so a call
/// that fails with its process leaves nothing behind.
///
/// Times are milliseconds since 1970, by the clock of the writer: clocks have to agree to a few milliseconds.
public struct SessionCursors: Sendable {
    /// A setting of all services that write cursors: a shorter value in one of them shortens the memory for all.
    public static let memoryKey = ConfigKey(
        "position_memory", default: Duration.seconds(7 * 86_400), atLeast: .seconds(3600),
        "How long session cursors are kept. A client that was away for longer misses messages on its sockets. Use the same "
            + "value for chat-service and realtime-gateway.")

    let redis: Redis
    /// Seconds.
    let lifetime: Int

    private static let fields = ["seq", "history", "told", "live", "from", "joined", "end", "read"]
    /// A history call that began longer ago has failed. In milliseconds.
    private static let longestRead = 5000
    private static let endTimeout = Duration.milliseconds(200)

    private static let reportScript = RedisScript(
        """
        local known = redis.call('HMGET', KEYS[1], 'seq', 'history', 'told', 'live', 'from', 'joined', 'end', 'read')
        local function raise(index, value)
            if not known[index] or tonumber(value) > tonumber(known[index]) then known[index] = value end
        end
        local held = ARGV[2]
        -- The reply may leave out later messages: another socket of the session still needs them.
        if known[5] and known[6] and tonumber(known[6]) > tonumber(ARGV[5]) and tonumber(known[5]) < tonumber(held) then
            held = known[5]
        end
        raise(1, ARGV[2])
        raise(2, held)
        known[3] = ARGV[3]
        raise(8, ARGV[4])
        redis.call(
            'HSET', KEYS[1], 'seq', known[1], 'history', known[2], 'told', known[3], 'read', known[8])
        redis.call('EXPIRE', KEYS[1], ARGV[1])
        -- The hint about a socket that has just joined says more: it follows.
        if not (known[4] and known[6] and tonumber(known[6]) > tonumber(ARGV[5])) then
            redis.call('PUBLISH', ARGV[6], ARGV[7])
            known[4] = false
        end
        return known
        """)
    private static let endScript = RedisScript(
        "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 1")
    static let raiseScript = RedisScript(
        """
        local known = redis.call('HGET', KEYS[1], 'seq')
        if not known or tonumber(ARGV[2]) > tonumber(known) then redis.call('HSET', KEYS[1], 'seq', ARGV[2]) end
        redis.call('EXPIRE', KEYS[1], ARGV[1])
        return 1
        """)
    static let claimScript = RedisScript(
        """
        local seq, history, live, joined = unpack(redis.call('HMGET', KEYS[1], 'seq', 'history', 'live', 'joined'))
        local isOther, own = live ~= ARGV[3], tonumber(ARGV[5])
        -- A newer socket is open, or has been and this one's client has not been heard since.
        if isOther and joined and tonumber(joined) > tonumber(live and own or ARGV[7]) then return 0 end
        -- Messages that an older socket was sent after this one's join do not count, even if it has left meanwhile. This one
        -- began where the earlier ones were.
        if isOther and tonumber(joined or 0) <= own then seq = history end
        if not seq or tonumber(ARGV[2]) > tonumber(seq) then seq = ARGV[2] end
        redis.call(
            'HSET', KEYS[1], 'seq', seq, 'live', ARGV[3], 'from', ARGV[4], 'joined', ARGV[5], 'heard', ARGV[7])
        redis.call('HDEL', KEYS[1], 'told', 'end')
        if ARGV[6] ~= '' then redis.call('HSET', KEYS[1], 'end', ARGV[6]) end
        redis.call('EXPIRE', KEYS[1], ARGV[1])
        return 1
        """)
    private static let releaseScript = RedisScript(
        """
        local seq, live, joined = unpack(redis.call('HMGET', KEYS[1], 'seq', 'live', 'joined'))
        if live and live ~= ARGV[3] then return 0 end
        if not live and joined and tonumber(joined) > tonumber(ARGV[4]) then return 0 end
        if not seq or tonumber(ARGV[2]) > tonumber(seq) then redis.call('HSET', KEYS[1], 'seq', ARGV[2]) end
        -- Without a name Redis has lost the record, and may have been told of a history reply since.
        if live then
            redis.call('HDEL', KEYS[1], 'live', 'from', 'told', 'end')
            redis.call('HSET', KEYS[1], 'heard', ARGV[4])
        end
        redis.call('EXPIRE', KEYS[1], ARGV[1])
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
        let replies = await redis.run(
            [
                RedisCommand("HMGET", [Self.key(session, room)] + Self.fields),
                RedisCommand("GET", Self.readingKey(session, room)),
            ], within: limit)
        return SessionCursor(try replies[0].get(), reading: try replies[1].get())
    }

    // MARK: History

    /// A history call has begun. The call does not wait for this write, which only makes sockets wait that join meanwhile.
    ///
    /// - Returns: the token for `report` or `endRead`.
    public func beginRead(_ session: SessionID, _ room: RoomID) -> Timestamp {
        let now = Timestamp.now
        redis.post(
            RedisCommand("SET", Self.readingKey(session, room), now.milliseconds, "PX", Self.longestRead))
        return now
    }

    /// The history call has failed, or has no reply that a socket continues from. If the write is lost, the mark expires.
    public func endRead(_ session: SessionID, _ room: RoomID, begun: Timestamp) async {
        _ = try? await redis.run(
            Self.endScript, keys: [Self.readingKey(session, room)], begun.milliseconds, within: Self.endTimeout)
    }

    /// A history reply holds everything up to `seq`. The hint of it is published, unless a socket is returned.
    ///
    /// - Parameter mayLeaveOut: whether the reply may leave out messages that the joining socket is sent.
    /// - Returns: the cursor as it is now, with its socket only if that has joined just now and the reply may leave out
    ///   messages. Then the caller publishes the hint.
    @discardableResult
    public func report(
        _ session: SessionID, _ room: RoomID, _ seq: Int64, begun: Timestamp? = nil, mayLeaveOut: Bool = false,
        within limit: Duration? = nil
    ) async throws(RedisError) -> SessionCursor? {
        let now = Timestamp.now
        let joinedAfter = mayLeaveOut ? (now - SessionCursor.joining).milliseconds : .max
        let hint = HistoryHint(session: session, room: room, seq: seq)
        return SessionCursor(
            try await redis.run(
                Self.reportScript, keys: [Self.key(session, room)], lifetime, seq, now.milliseconds,
                begun?.milliseconds ?? 0, joinedAfter, HistoryHint.redisChannel, hint.encoded(), within: limit))
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
        _ = try await redis.run(Self.claimScript, many: [call(record)])[0].get()
    }

    /// These sockets are sent nothing more.
    public func write(_ releases: [Release]) async -> [ReleaseOutcome] {
        var outcomes = releases.map { _ in ReleaseOutcome.lost }
        // The claim of the socket may be lost.
        let areLost = releases.map { timeUntilWhole($0.session, $0.room) != nil }
        for (script, isLost) in [(Self.releaseScript, false), (Self.releaseAgainScript, true)] {
            let chosen = releases.indices.filter { areLost[$0] == isLost }
            let replies = await redis.run(script, many: chosen.map { call(releases[$0]) })
            for (index, reply) in zip(chosen, replies) {
                guard case .success(let reply) = reply else { continue }
                outcomes[index] = reply.integer == 0 ? .superseded : .written
            }
        }
        return outcomes
    }

    // MARK: Keys

    /// Where a gateway loop writes up to where it may have sent a room's messages.
    public static func reservationKey(_ loop: String, _ room: RoomID) -> RedisKey { "sent:\(loop):\(room)" }

    static func key(_ session: SessionID, _ room: RoomID) -> RedisKey { "position:\(session):\(room)" }

    private static func readingKey(_ session: SessionID, _ room: RoomID) -> RedisKey {
        "reading:\(session):\(room)"
    }
}

import Redis
import ServiceKit
import Wire

/// The session cursors in Redis, as a gateway reads and writes them.
///
/// A broadcast is one write for all sockets of a loop: before it goes out its seq is written to `sent:<loop>:<room>`, and a
/// socket's own record only names its loop. A gateway that finds the record of a dead gateway's socket takes the loop's seq
/// for the seq up to which the socket may have been sent messages.
struct SessionCursorStore: Sendable {
    let redis: Redis
    private let cursors: SessionCursors
    /// Seconds. A reservation is kept longer than the cursors that name it.
    private let lifetime: Int

    /// A history reply that left less long ago was the session's last one, as far as is known.
    private static let freshness = Duration.seconds(3)
    private static let margin = 3600
    private static let reserving = RedisScript(
        """
        local known = redis.call('GET', KEYS[1])
        if known and tonumber(known) >= tonumber(ARGV[2]) then
            redis.call('EXPIRE', KEYS[1], ARGV[1])
        else
            redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[1])
        end
        return 1
        """)

    /// - Parameter memory: how long cursors are kept, in whole seconds.
    init(redis: Redis, memory: Duration) {
        self.redis = redis
        cursors = SessionCursors(redis: redis, memory: memory)
        lifetime = Int(memory.components.seconds) + Self.margin
    }

    /// A session's cursor, which counts messages that its newest socket may have been sent.
    func find(_ session: SessionID, _ room: RoomID, within limit: Duration? = nil) async throws(RedisError)
        -> JoinCursor
    {
        guard var cursor = try await cursors.find(session, room, within: limit) else {
            return JoinCursor(timeUntilWhole: cursors.timeUntilWhole(session, room))
        }
        var reserved: Int64?
        while let socket = cursor.socket, socket.end == nil {
            reserved = try await cursors.reservation(of: socket.loop, in: room, within: limit)
            // The socket may have left before the reservation was written: then it was not sent those messages.
            guard let again = try await cursors.find(session, room, within: limit) else {
                return JoinCursor(timeUntilWhole: cursors.timeUntilWhole(session, room))
            }
            cursor = again
            if again.socket?.name == socket.name { break }
        }
        var found = JoinCursor(
            seq: cursor.seq, history: cursor.history, isFresh: cursor.isFresh(within: Self.freshness),
            isBeingRead: cursor.isBeingRead,
            timeUntilWhole: cursors.timeUntilWhole(session, room, loop: cursor.socket?.loop))
        if let socket = cursor.socket { found.seq = max(cursor.seq ?? 0, socket.end ?? reserved ?? 0) }
        return found
    }

    /// Writes that a loop's sockets may be sent messages up to a seq, all rooms at once.
    ///
    /// - Returns: for each whether it was written.
    func reserve(_ marks: [(room: RoomID, seq: Int64)], for loop: String) async -> [Bool] {
        await redis.run(
            Self.reserving,
            many: marks.map { ([SessionCursors.reservationKey(loop, $0.room)], [lifetime, $0.seq]) }
        ).map { if case .success = $0 { true } else { false } }
    }

    /// Writes a socket's claim.
    func write(_ claim: SessionCursors.SocketRecord) async throws(RedisError) { try await cursors.write(claim) }

    /// Writes where sockets have left.
    func write(_ releases: [SessionCursors.Release]) async -> [SessionCursors.ReleaseOutcome] {
        await cursors.write(releases)
    }

    /// Writes parts of cursors again. Returns whether all were written.
    func rewrite(_ known: [SessionCursors.Known]) async -> Bool { await cursors.rewrite(known) }

    /// Writes up to where a client has confirmed messages. If the write is lost, they are sent again.
    func confirm(_ session: SessionID, _ room: RoomID, _ seq: Int64) async {
        try? await cursors.raise(session, room, to: seq)
    }
}

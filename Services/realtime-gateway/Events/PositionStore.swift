import Redis
import ServiceKit
import Wire

/// Where each session's socket is in each room, for whichever node it connects to next.
///
/// What goes to the sockets of a loop in a room is one thing for all of them: before a message goes out its seq is written
/// to `sent:<feed>:<room>`, once for however many sockets, and each socket's own record only names the feed that it lives
/// on. Whoever finds the record of a socket whose gateway has died takes the feed's seq for what it may have been sent.
struct PositionStore: Sendable {
    /// Where to go on from.
    struct Known: Sendable {
        /// What the session has, or may have been sent.
        let seq: Int64
        /// Whether a history reply has told it just now, so that none needs to be waited for.
        let isFresh: Bool
    }

    let redis: Redis
    private let positions: SessionCursors
    /// Seconds; what the sockets of a feed were sent is needed for as long as any of them is known.
    private let lifetime: Int

    /// Short, as a history that was read later may not have been told: such is asked for where nothing is fresh.
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

    /// - Parameter memory: how long positions are kept, in whole seconds.
    init(redis: Redis, memory: Duration) {
        self.redis = redis
        positions = SessionCursors(redis: redis, memory: memory)
        lifetime = Int(memory.components.seconds) + Self.margin
    }

    /// The position that was told or left, or up to which a socket may have been sent; nil where none is known.
    func find(_ session: SessionID, _ room: RoomID) async throws(RedisError) -> Known? {
        guard let entry = try await positions.find(session, room) else { return nil }
        var seq = entry.seq
        if let end = entry.end {
            seq = max(seq, end)
        } else if let feed = entry.live?.prefix(while: { $0 != "/" }) {
            let sent = try await redis.get(Self.key(String(feed), room))
            seq = max(seq, sent.flatMap { Int64(String(decoding: $0, as: UTF8.self)) } ?? 0)
        }
        return Known(seq: seq, isFresh: entry.told.map { Timestamp.now - $0 < Self.freshness } ?? false)
    }

    /// Writes down that a feed's sockets may be sent a room's messages up to a seq, all rooms in one go.
    ///
    /// - Returns: for each whether it stands.
    func reserve(_ marks: [(room: RoomID, seq: Int64)], for feed: String) async -> [Bool] {
        await redis.run(
            Self.reserving, many: marks.map { ([Self.key(feed, $0.room)], [lifetime, $0.seq]) }
        ).map { if case .success = $0 { true } else { false } }
    }

    /// Writes down that a socket, which has been sent everything up to `seq`, goes on, and what it may be sent.
    func claim(
        _ session: SessionID, _ room: RoomID, at seq: Int64, _ claim: RoomMember.Claim = .live, for live: String
    ) async throws(RedisError) {
        let end: Int64? = if case .upTo(let end) = claim { end } else { nil }
        try await positions.claim(session, room, at: seq, upTo: end, for: live)
    }

    /// Writes down where sockets have left.
    ///
    /// - Returns: for each whether it stands.
    func release(_ leavings: [SessionCursors.Leaving]) async -> [Bool] { await positions.release(leavings) }

    /// Writes down what a socket has confirmed; what is lost of it is sent again.
    func confirm(_ session: SessionID, _ room: RoomID, _ seq: Int64) async {
        try? await positions.raise(session, room, to: seq)
    }

    private static func key(_ feed: String, _ room: RoomID) -> RedisKey { "sent:\(feed):\(room)" }
}

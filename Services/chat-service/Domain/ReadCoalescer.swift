import Contract
import EventLoop
import Wire

/// Decides when moved read markers are published: the first move of a member in a room soon, and further ones at most once
/// in every `pause`. Sans-I/O.
struct ReadCoalescer {
    struct Key: Hashable, Sendable {
        let user: UserID
        let room: RoomID
    }

    /// A marker to publish.
    struct Move: Sendable, Equatable {
        let key: Key
        let workspace: WorkspaceID
        var seq: Int64
        /// The attempts that have failed.
        var failures = 0
        /// Whether an attempt without other markers has failed.
        var hasFailedAlone = false
    }

    private var waiting: [Key: Move] = [:]
    /// When markers were published last. Entries older than the pause are dropped.
    private var published: [Key: UInt64] = [:]

    private static let pause: UInt64 = 1_000_000_000
    /// Further moves are dropped while as many wait. A reader of the room learns of them by the next one.
    private static let limit = 20_000
    private static let mostFailures = 10

    var isEmpty: Bool { waiting.isEmpty }

    mutating func add(_ move: Move) {
        if let known = waiting[move.key] {
            waiting[move.key]?.seq = max(known.seq, move.seq)
        } else if waiting.count < Self.limit {
            waiting[move.key] = move
        }
    }

    /// Another instance has just published the marker of this member: it may be published later.
    mutating func putBack(_ move: Move) {
        published[move.key] = nil
        add(move)
    }

    /// A marker could not be published. It is tried again after the usual pause, a few times: in a divided schema, one of a
    /// part that is out of reach must not hold up those of other workspaces for long.
    ///
    /// - Parameter isAlone: whether the attempt was without other markers.
    mutating func failed(_ move: Move, isAlone: Bool = false) {
        guard move.failures < Self.mostFailures else { return }
        var again = move
        again.failures += 1
        if isAlone { again.hasFailedAlone = true }
        add(again)
    }

    /// Takes at most `limit` moves that may be published at a time in nanoseconds.
    mutating func take(at now: UInt64, limit: Int) -> [Move] {
        published = published.filter { now - $0.value < Self.pause }
        let due = waiting.values.lazy.filter { [published] in published[$0.key] == nil }.prefix(limit)
        let moves = Array(due)
        for move in moves {
            waiting[move.key] = nil
            published[move.key] = now
        }
        return moves
    }
}

import EventLoop
import Wire

/// The sockets that lack workspaces out of reach, and which of them read their rooms again in a round.
struct IncompleteQueue {
    private var waiting: Set<MemberID> = []
    private var round: ArraySlice<MemberID> = []
    /// The workspaces that sockets of this round have found out of reach.
    private var unavailable: Set<WorkspaceID> = []

    var isEmpty: Bool { waiting.isEmpty && round.isEmpty }

    mutating func add(_ socket: MemberID) { waiting.insert(socket) }

    mutating func beginRound() {
        (round, waiting, unavailable) = (Array(waiting)[...], [], [])
    }

    /// A socket of this round has read its rooms again, and still lacks these workspaces.
    mutating func note(_ missing: Set<WorkspaceID>) { unavailable.formUnion(missing) }

    /// The next sockets that read in this round; none at its end. A socket that lacks only workspaces which others have just found out
    /// of reach waits for the next round.
    ///
    /// - Parameter missing: the workspaces that a socket lacks; none for one that has ended or has been read meanwhile.
    mutating func take(_ most: Int, missing: (MemberID) -> Set<WorkspaceID>) -> [MemberID] {
        var taken: [MemberID] = []
        while taken.count < most, let socket = round.popFirst() {
            let lacked = missing(socket)
            if lacked.isEmpty { continue }
            if lacked.isSubset(of: unavailable) { waiting.insert(socket) } else { taken.append(socket) }
        }
        return taken
    }
}

/// Reads the rooms of the `/me` sockets of a loop again that lack workspaces out of reach, until no workspace is missing: no event comes
/// when the part of the database returns.
///
/// The pauses grow to a minute. While a workspace stays out of reach, some of its sockets find that out for all others, and when it is
/// back, few sockets read at a time, so that chat-service is not flooded.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class IncompleteStarts: @unchecked Sendable {
    private unowned let shard: GatewayShard
    private var queue = IncompleteQueue()
    private var backoff = IncompleteStarts.backoff
    private var isBusy = false

    /// The first pause takes five to ten seconds.
    static let backoff = Backoff(first: .seconds(10), limit: .seconds(60))

    init(of shard: GatewayShard) { self.shard = shard }

    func add(_ socket: MemberID) {
        queue.add(socket)
        if !isBusy { readLater() }
    }

    private func readLater() {
        isBusy = true
        shard.loop.schedule(after: backoff.next()) { [weak self] in
            guard let self else { return }
            Task.immediate(executorPreference: shard.loop) { [self] in await read() }
        }
    }

    private func read() async {
        queue.beginRound()
        while true {
            let sockets = queue.take(StartReads.usersPerCall) { missing($0) }.compactMap { shard.me.socket($0) }
            if sockets.isEmpty { break }
            await withTaskGroup(of: Void.self) { [shard] group in
                for socket in sockets { group.addTask { await shard.refreshUnlessReading(socket) } }
            }
            for socket in sockets { queue.note(shard.me.unavailable(of: socket)) }
        }
        isBusy = false
        if queue.isEmpty { backoff.reset() } else { readLater() }
    }

    private func missing(_ socket: MemberID) -> Set<WorkspaceID> {
        shard.me.socket(socket).map { shard.me.unavailable(of: $0) } ?? []
    }
}

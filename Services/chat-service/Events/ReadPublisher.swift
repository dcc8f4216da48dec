import Contract
import EventLoop
import Redis
import ServiceKit
import Wire

/// Publishes moved read markers on the channels of their rooms, at most one event a second for each member and room, from
/// all instances together.
///
/// No caller waits for it. If the event of a marker cannot be made, because a service or the database does not answer, it
/// is tried again a few times. An event that Redis loses is not repeated: the next one has the newer marker, and every list of
/// rooms and readers has the right one.
///
/// - Note: `@unchecked Sendable` because everything except `moved` runs on its loop.
final class ReadPublisher: @unchecked Sendable {
    private let redis: Redis
    private let store: ReadEventStore
    private let claims: ReadClaims
    private let members: RoomMembers
    private let blocks: BlockCache
    private let loop: EventLoop
    private let counts: ReadMoves
    private var moves = ReadCoalescer()
    private var isBusy = false

    /// Markers that moved meanwhile share a query.
    private static let tick = Duration.milliseconds(100)
    private static let batchSize = 500

    init(redis: Redis, store: ReadEventStore, members: RoomMembers, blocks: BlockCache, on loops: EventLoopGroup) {
        self.redis = redis
        self.store = store
        claims = ReadClaims(redis: redis)
        self.members = members
        self.blocks = blocks
        loop = loops.loops[0]
        counts = ReadMoves(redis: redis, on: loops)
    }

    /// A member has read a room up to a seq. To be called on any loop, after the commit.
    func moved(_ user: UserID, in target: MessageTarget, to seq: Int64) {
        let move = ReadCoalescer.Move(
            key: ReadCoalescer.Key(user: user, room: target.room), workspace: target.workspace, seq: seq)
        // Before the caller has its reply, so that its next socket does not begin with older counts.
        counts.note(user)
        loop.execute { [self] in
            moves.add(move)
            if !isBusy { wait() }
        }
    }

    private func wait() {
        isBusy = true
        loop.schedule(after: Self.tick) { [self] in flush() }
    }

    private func flush() {
        let due = moves.take(at: EventLoop.preciseNow, limit: Self.batchSize)
        Task.immediate(executorPreference: loop) { [self] in
            if !due.isEmpty {
                // Without its event the member's other devices would go on showing the room as unread.
                do { try await publish(due) } catch { for move in due { moves.failed(move) } }
            }
            isBusy = false
            if !moves.isEmpty { wait() }
        }
    }

    private func publish(_ taken: [ReadCoalescer.Move]) async throws {
        let states = try await store.states(
            of: taken, hiding: try await blocks.blocks(of: Set(taken.map(\.key.user))))
        var shown: [RoomID: [UserID]] = [:]
        for move in taken where states[move.key]?.isShared == true && shown[move.key.room] == nil {
            let ids = try await members.ids(of: move.key.room, in: move.workspace, member: move.key.user)
            shown[move.key.room] = ids.count <= ReadReceipts.mostShown ? ids : []
        }
        let hidden = try await store.hiding(Set(shown.values.joined()))
        // Last, because a marker that was claimed and not published would count as published.
        let moves = await granted(taken, states)
        let commands = moves.compactMap { move -> RedisCommand? in
            guard let state = states[move.key] else { return nil }
            var audience = RoomRead.Audience.nobody
            if state.isShared, let ids = shown[move.key.room], !ids.isEmpty {
                audience = .members(except: ids.filter(hidden.contains))
            }
            let read = RoomRead(
                room: move.key.room, user: move.key.user, seq: state.seq, unread: state.unread,
                mentions: state.mentions, audience: audience)
            return .publish(RoomEvent.read(read).encoded(), in: read.room)
        }
        _ = await redis.runInBatches(commands)
    }

    /// The markers that this instance may publish now. Those that another one has published earlier wait.
    private func granted(
        _ taken: [ReadCoalescer.Move], _ states: [ReadCoalescer.Key: ReadEventStore.State]
    ) async -> [ReadCoalescer.Move] {
        let answers = await claims.claim(taken.map { ($0.key, states[$0.key]?.seq ?? $0.seq) })
        for (move, answer) in zip(taken, answers) where answer == .later { moves.putBack(move) }
        return zip(taken, answers).filter { $0.1 == .granted }.map(\.0)
    }
}

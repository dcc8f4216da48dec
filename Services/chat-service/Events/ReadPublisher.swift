import Contract
import EventLoop
import Redis
import ServiceKit
import Wire

/// Publishes moved read markers on the channels of their rooms, at most one event a second for each member and room, from
/// all instances together.
///
/// No caller waits for it. If the event of a marker cannot be made, because a service or the database does not answer, it
/// is tried again a few times. A room with members that cannot be read holds up no other room, and a marker with counts that cannot
/// be read no other marker. An event that Redis loses is not repeated: the next one has the newer marker, and every list of rooms
/// and readers has the right one.
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
    /// After as many rooms with members that cannot be read, those of the others are left for later: the service may be gone.
    private static let mostFailedRooms = 3
    /// After as many markers that fail one by one, the others are left for later for the same reason.
    private static let mostFailedAlone = 3

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
            await publishSeparately(due)
            isBusy = false
            if !moves.isEmpty { wait() }
        }
    }

    /// Publishes markers together, and one by one if that fails. Without its event, the member's other devices would go on showing the
    /// room as unread. Markers that have failed alone before come last, and by themselves.
    private func publishSeparately(_ due: [ReadCoalescer.Move]) async {
        var alone = due.filter(\.hasFailedAlone)
        let together = due.filter { !$0.hasFailedAlone }
        if !together.isEmpty {
            do { try await publish(together) } catch { alone = together + alone }
        }
        var failures = 0
        for move in alone {
            guard failures < Self.mostFailedAlone else {
                moves.failed(move)
                continue
            }
            do { try await publish([move]) } catch {
                failures += 1
                moves.failed(move, isAlone: true)
            }
        }
    }

    private func publish(_ due: [ReadCoalescer.Move]) async throws {
        let states = try await store.states(
            of: due, hiding: try await blocks.blocks(of: Set(due.map(\.key.user))))
        let taken = due.filter { states[$0.key] != nil }
        let shared = taken.filter { states[$0.key]?.isShared == true }
        let (shown, failed) = await audiences(of: shared)
        let hidden = try await store.hiding(Set(shown.values.joined()))
        // Those in a part of the database that is out of reach hold up no others.
        for move in due where states[move.key] == nil { moves.failed(move) }
        for move in shared where shown[move.key.room] == nil {
            if failed.contains(move.key.room) { moves.failed(move) } else { moves.add(move) }
        }
        let ready = taken.filter { states[$0.key]?.isShared != true || shown[$0.key.room] != nil }
        // Last, because a marker that was claimed and not published would count as published.
        let commands = await granted(ready, states).compactMap { move -> RedisCommand? in
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

    /// The members that are shown the markers of each room, none of a large room, and the rooms with members that cannot be read.
    /// A room that is in neither was not asked for.
    private func audiences(
        of shared: [ReadCoalescer.Move]
    ) async -> (shown: [RoomID: [UserID]], failed: Set<RoomID>) {
        var shown: [RoomID: [UserID]] = [:]
        var failed: Set<RoomID> = []
        // Rooms that have failed before come last.
        for move in shared.sorted(by: { $0.failures < $1.failures }) {
            let room = move.key.room
            guard shown[room] == nil, !failed.contains(room), failed.count < Self.mostFailedRooms else { continue }
            do {
                let ids = try await members.ids(of: room, in: move.workspace, member: move.key.user)
                shown[room] = ids.count <= ReadReceipts.mostShown ? ids : []
            } catch {
                failed.insert(room)
            }
        }
        return (shown, failed)
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

import Contract
import EventLoop
import ServiceKit
import Synchronization
import Wire

/// The DMs that were found at the primary lately, for the access of their members while it does not answer.
///
/// The same rule holds as for cached access to channels: an entry counts for a minute, until a hint about one of its members or its
/// workspace, and only while hints arrive.
final class KnownDMs: Sendable {
    private let state: Mutex<KnownDMsState>
    private let primary: PrimaryState
    private let metrics: ReplicaMetrics

    private static let lifetime: UInt64 = 60_000_000_000

    init(primary: PrimaryState, metrics: ReplicaMetrics, capacity: Int = 100_000) {
        self.primary = primary
        self.metrics = metrics
        state = Mutex(KnownDMsState(capacity: capacity))
    }

    /// The user's DMs among `ids`, from the primary if it answers.
    func find(_ ids: [DMID], of user: UserID, in store: DMStore) async throws -> [DM] {
        try await find(ids, of: user) { try await store.find(ids, of: user) }
    }

    /// The DM if it is one of the user's in a workspace, from the primary if it answers.
    func find(_ id: DMID, of user: UserID, in workspace: WorkspaceID, _ store: DMStore) async throws -> [DM] {
        try await find([id], of: user) { try await store.find(id, of: user, in: workspace) }
            .filter { $0.workspace == workspace }
    }

    private func find(_ ids: [DMID], of user: UserID, from primary: () async throws -> [DM]) async throws -> [DM] {
        let askedAt = EventLoop.preciseNow
        if self.primary.isDown, let known = known(ids, of: user) { return known }
        do {
            let found = try await primary()
            state.withLock { $0.keep(found, of: user, fetchedAt: askedAt) }
            return found
        } catch  where error.isOutageOfStore {
            if let known = known(ids, of: user) { return known }
            metrics.count(.access)
            throw error
        }
    }

    private func known(_ ids: [DMID], of user: UserID) -> [DM]? {
        let oldest = CacheAge.oldest(Self.lifetime)
        return state.withLock { $0.dms(ids, of: user, oldest: oldest) }
    }

    /// Follows hints for as long as `subscriber` lives; call it on `loop`.
    func follow(_ subscriber: MessageSubscriber, on loop: EventLoop) {
        _ = subscriber.listen(to: AccessHint.self, on: loop) { [weak self] event in
            self?.state.withLock { state in
                let now = EventLoop.preciseNow
                switch event {
                case .message(let hint): state.invalidate(hint, now: now)
                case .confirmed, .gap: state.become(live: true, now: now)
                case .lost: state.become(live: false, now: now)
                }
            }
        }
    }
}

/// The contents of `KnownDMs`. Times are monotonic nanoseconds, given by the caller.
struct KnownDMsState {
    private struct Key: Hashable {
        let user: UserID
        let id: DMID
    }

    private var entries: [Key: (dm: DM, fetchedAt: UInt64)] = [:]
    private var hints: AccessHintTimes
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        hints = AccessHintTimes(capacity: capacity)
    }

    /// The DMs with all of these ids; nil if one of them is not known for certain.
    func dms(_ ids: [DMID], of user: UserID, oldest: UInt64) -> [DM]? {
        var found: [DM] = []
        for id in ids {
            guard let (dm, fetchedAt) = entries[Key(user: user, id: id)],
                hints.allow(fetchedAt: fetchedAt, [dm.low, dm.high], in: dm.workspace, oldest: oldest)
            else { return nil }
            found.append(dm)
        }
        return found
    }

    mutating func keep(_ dms: [DM], of user: UserID, fetchedAt: UInt64) {
        guard hints.isLive else { return }
        if entries.count + dms.count > capacity { entries.removeAll(keepingCapacity: true) }
        for dm in dms { entries[Key(user: user, id: dm.id)] = (dm, fetchedAt) }
    }

    mutating func invalidate(_ hint: AccessHint, now: UInt64) { hints.note(hint, now: now) }

    mutating func become(live isLive: Bool, now: UInt64) {
        entries.removeAll()
        hints.become(live: isLive, now: now)
    }
}

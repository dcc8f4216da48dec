/// Decides the next step of a stream consumer from the results of the steps before.
///
/// After each connect: create the group; acknowledge the entries that were handled when the last connection was lost;
/// remove dead consumers; handle the entries again that this consumer was given and has not acknowledged. Then repeat:
/// read new entries, and at intervals claim entries that other consumers have left pending.
struct ConsumerSteps {
    enum Step: Equatable {
        case createGroup
        case acknowledge([RedisStreamEntry.ID])
        case removeDeadConsumers
        /// Read entries that this consumer was given before.
        case readPending(after: RedisStreamEntry.ID)
        /// Claim entries of any consumer that have been pending for too long.
        case claim(from: RedisStreamEntry.ID)
        case readNew
    }

    /// Nanoseconds between two rounds of claiming.
    private let claimInterval: UInt64
    private var isGroupKnown = false
    private var hasRemovedDeadConsumers = false
    private var handled: [RedisStreamEntry.ID] = []
    /// nil once all pending entries of this consumer have been read.
    private var pendingCursor: RedisStreamEntry.ID? = .zero
    /// nil between two rounds.
    private var claimCursor: RedisStreamEntry.ID?
    private var nextClaim: UInt64 = 0

    init(claimInterval: UInt64) { self.claimInterval = claimInterval }

    mutating func next(now: UInt64) -> Step {
        if !isGroupKnown { return .createGroup }
        if !handled.isEmpty { return .acknowledge(handled) }
        if !hasRemovedDeadConsumers { return .removeDeadConsumers }
        if let pendingCursor { return .readPending(after: pendingCursor) }
        if claimCursor == nil && now >= nextClaim {
            claimCursor = .zero
            nextClaim = now &+ claimInterval
        }
        if let claimCursor { return .claim(from: claimCursor) }
        return .readNew
    }

    /// The connection is up, possibly to a server that has lost its data.
    mutating func connected() {
        isGroupKnown = false
        hasRemovedDeadConsumers = false
        pendingCursor = .zero
        claimCursor = nil
    }

    mutating func groupCreated() { isGroupKnown = true }

    /// The server does not know the stream or group.
    mutating func groupMissing() {
        isGroupKnown = false
        handled = []
    }

    mutating func deadConsumersRemoved() { hasRemovedDeadConsumers = true }

    /// An entry was handled, or deleted from the stream, and is to be acknowledged.
    mutating func handled(_ id: RedisStreamEntry.ID) { handled.append(id) }

    mutating func acknowledged() { handled.removeAll(keepingCapacity: true) }

    /// This consumer's pending entries up to `last` have been handled; nil if there are no more.
    mutating func readPending(upTo last: RedisStreamEntry.ID?) { pendingCursor = last }

    /// A part of a round was claimed; `next` is the start of the next part, zero at the end of the round.
    mutating func claimed(next cursor: RedisStreamEntry.ID) { claimCursor = cursor == .zero ? nil : cursor }

    /// Handling a batch took so long that other consumers may claim the rest: the pending entries are read again first.
    mutating func interrupted(after last: RedisStreamEntry.ID) { pendingCursor = min(last, pendingCursor ?? last) }
}

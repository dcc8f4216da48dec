/// What a stream consumer does next, given what has come of what it did before.
///
/// After each connect: make the group; acknowledge what was handled when the last connection was lost; tidy up;
/// handle again what this consumer was given and has not acknowledged. Then, for ever: now and then take over
/// what others left, else read what is new.
struct ConsumerSteps {
    enum Step: Equatable {
        case createGroup
        case acknowledge([RedisStreamEntry.ID])
        case removeDeadConsumers
        /// This consumer's own entries, given out before.
        case readPending(after: RedisStreamEntry.ID)
        /// Entries of any consumer that wait for too long.
        case claim(from: RedisStreamEntry.ID)
        case readNew
    }

    /// Nanoseconds between two rounds of taking over.
    private let claimInterval: UInt64
    private var isGroupKnown = false
    private var isTidy = false
    private var handled: [RedisStreamEntry.ID] = []
    /// Nil when all own pending entries have been read.
    private var pendingCursor: RedisStreamEntry.ID? = .zero
    /// Nil between two rounds.
    private var claimCursor: RedisStreamEntry.ID?
    private var nextClaim: UInt64 = 0

    init(claimInterval: UInt64) { self.claimInterval = claimInterval }

    mutating func next(now: UInt64) -> Step {
        if !isGroupKnown { return .createGroup }
        if !handled.isEmpty { return .acknowledge(handled) }
        if !isTidy { return .removeDeadConsumers }
        if let pendingCursor { return .readPending(after: pendingCursor) }
        if claimCursor == nil && now >= nextClaim {
            claimCursor = .zero
            nextClaim = now &+ claimInterval
        }
        if let claimCursor { return .claim(from: claimCursor) }
        return .readNew
    }

    /// A connection is up, perhaps to a server that has forgotten everything.
    mutating func connected() {
        isGroupKnown = false
        isTidy = false
        pendingCursor = .zero
        claimCursor = nil
    }

    mutating func groupCreated() { isGroupKnown = true }

    /// The server knows no such stream or group.
    mutating func groupMissing() {
        isGroupKnown = false
        handled = []
    }

    mutating func tidied() { isTidy = true }

    /// An entry was handled, or is gone for good, and is to be acknowledged.
    mutating func handled(_ id: RedisStreamEntry.ID) { handled.append(id) }

    mutating func acknowledged() { handled.removeAll(keepingCapacity: true) }

    /// Own pending entries up to `last` have been handled; nil when there were none any more.
    mutating func readPending(upTo last: RedisStreamEntry.ID?) { pendingCursor = last }

    /// A part of the round was taken over; the server says where the next begins, zero at the end of the round.
    mutating func claimed(next cursor: RedisStreamEntry.ID) { claimCursor = cursor == .zero ? nil : cursor }

    /// Handling a batch took so long that others may take the rest over: it is read again first.
    mutating func leftRest(after last: RedisStreamEntry.ID) { pendingCursor = min(last, pendingCursor ?? last) }
}

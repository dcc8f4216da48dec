internal import Synchronization

/// Counts the open connections of all loops against their limit, those of upgraded protocols included.
final class ConnectionSlots: Sendable {
    /// The answer to a new connection.
    enum Slot {
        case free
        /// The limit is reached; the client gets a refusal.
        case refusal
        /// So many clients are being refused already that this one is closed at once.
        case none
    }

    private let limit: Int
    private let taken = Atomic<Int>(0)

    init(limit: Int) { self.limit = limit }

    /// Open connections, including refused ones until they have their refusal.
    var count: Int { taken.load(ordering: .relaxed) }

    /// Counts a connection in; call `release` for every answer.
    func take() -> Slot {
        let count = taken.wrappingAdd(1, ordering: .relaxed).newValue
        if count <= limit { return .free }
        return count <= limit + max(16, limit / 8) ? .refusal : .none
    }

    /// Counts a connection out.
    func release() { taken.wrappingSubtract(1, ordering: .relaxed) }

    /// The slot of a connection that another protocol has taken over: it is free again when this object is released.
    final class Lease {
        private let slots: ConnectionSlots

        init(of slots: ConnectionSlots) { self.slots = slots }

        deinit { slots.release() }
    }
}

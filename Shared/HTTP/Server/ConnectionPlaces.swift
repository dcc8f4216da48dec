internal import Synchronization

/// How many connections are open over all loops, and whether one more may be.
final class ConnectionPlaces: Sendable {
    /// What a new connection gets.
    enum Place {
        case free
        /// None, but it can be told so.
        case refusal
        /// None, and so many are being told already that this one is not.
        case none
    }

    private let limit: Int
    private let taken = Atomic<Int>(0)

    init(limit: Int) { self.limit = limit }

    /// Open connections, refused ones included until they have been told.
    var count: Int { taken.load(ordering: .relaxed) }

    /// Counts a connection in, whatever it gets.
    func take() -> Place {
        let count = taken.wrappingAdd(1, ordering: .relaxed).newValue
        if count <= limit { return .free }
        return count <= limit + max(16, limit / 8) ? .refusal : .none
    }

    /// Counts a connection out.
    func give() { taken.wrappingSubtract(1, ordering: .relaxed) }
}

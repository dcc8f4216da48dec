internal import Synchronization

/// How many connections are open over all loops, and whether one more may be.
final class ConnectionPlaces: Sendable {
    private let limit: Int
    private let taken = Atomic<Int>(0)

    init(limit: Int) { self.limit = limit }

    /// Open connections, refused ones included until they have been told.
    var count: Int { taken.load(ordering: .relaxed) }

    /// Counts a connection in; false when it is one too many.
    func take() -> Bool { taken.wrappingAdd(1, ordering: .relaxed).newValue <= limit }

    /// Counts a connection out.
    func give() { taken.wrappingSubtract(1, ordering: .relaxed) }
}

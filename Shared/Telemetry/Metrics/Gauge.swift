internal import EventLoop

/// A number that goes up and down. Adding takes no lock and contends with no other loop.
public final class Gauge: Sendable {
    private let cells: ShardedCells

    init(for group: EventLoopGroup) { cells = ShardedCells(for: group, count: 1) }

    public func add(_ count: Int = 1) { cells.add(UInt64(bitPattern: Int64(count)), at: 0) }

    public func subtract(_ count: Int = 1) { add(-count) }

    /// The present number.
    public var value: Int { Int(Int64(bitPattern: cells.total(at: 0))) }
}

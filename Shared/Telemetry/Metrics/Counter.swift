internal import EventLoop

/// A count that never goes down. Adding takes no lock and contends with no other loop.
public final class Counter: Sendable {
    private let cells: ShardedCells

    init(for group: EventLoopGroup) { cells = ShardedCells(for: group, count: 1) }

    public func increment(by count: UInt64 = 1) { cells.add(count, at: 0) }

    /// The count so far.
    public var value: UInt64 { cells.total(at: 0) }
}

internal import EventLoop
internal import Synchronization

/// Numbers that all loops add to without contention: each loop has a copy on its own cache lines, and a reader sums the
/// copies.
///
/// - Note: `@unchecked Sendable` because the memory is accessed only through atomics, and lives as long as the object.
final class ShardedCells: @unchecked Sendable {
    private let cells: UnsafeMutablePointer<Atomic<UInt64>>
    private let group: EventLoopGroup
    /// One copy for each loop, and one for all other threads.
    private let shardCount: Int
    private let cellsPerShard: Int

    /// Two cache lines, because processors fetch them in pairs.
    private static let lineSize = 128
    private static let cellSize = MemoryLayout<Atomic<UInt64>>.stride

    init(for group: EventLoopGroup, count: Int) {
        self.group = group
        shardCount = group.loops.count + 1
        let size = (count * Self.cellSize + Self.lineSize - 1) / Self.lineSize * Self.lineSize
        cellsPerShard = size / Self.cellSize
        let memory = UnsafeMutableRawPointer.allocate(byteCount: shardCount * size, alignment: Self.lineSize)
        cells = memory.bindMemory(to: Atomic<UInt64>.self, capacity: shardCount * cellsPerShard)
        for index in 0..<shardCount * cellsPerShard { (cells + index).initialize(to: Atomic(0)) }
    }

    deinit { UnsafeMutableRawPointer(cells).deallocate() }

    /// Adds to a number and returns this copy's sum, wrapping around.
    @discardableResult
    func add(_ value: UInt64, at index: Int) -> UInt64 {
        guard let shard = group.currentIndex else {
            return cells[(shardCount - 1) * cellsPerShard + index].wrappingAdd(value, ordering: .relaxed).newValue
        }
        // Only the loop adds to its own copy, so the processor need not lock the cache line.
        let cell = cells + (shard * cellsPerShard + index)
        let sum = cell.pointee.load(ordering: .relaxed) &+ value
        cell.pointee.store(sum, ordering: .relaxed)
        return sum
    }

    /// The sum of all copies, wrapping around.
    func total(at index: Int) -> UInt64 {
        var total: UInt64 = 0
        for shard in 0..<shardCount { total &+= cells[shard * cellsPerShard + index].load(ordering: .relaxed) }
        return total
    }

    /// Sets every copy; call it before anything is added.
    func fill(_ value: () -> UInt64) {
        for index in 0..<shardCount * cellsPerShard { cells[index].store(value(), ordering: .relaxed) }
    }
}

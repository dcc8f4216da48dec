import EventLoop
import Glibc
import Postgres
import Synchronization
import TestSupport

/// A number of callers, each of which waits for its answer before its next query, on a number of connections of one loop.
struct Contestant: Sendable {
    let name: String
    let connections: Int
    let callers: Int
    let loops: Int

    private static let select = Statement.read("select", "select abalance from pgbench_accounts where aid = $1")
    static let accounts: Int32 = 1_000_000

    init(_ name: String, connections: Int, callers: Int, loops: Int = 1) {
        self.name = name
        self.loops = loops
        self.connections = connections
        self.callers = callers
    }

    func run(on cluster: PostgresCluster, for time: Duration) async throws -> Measure {
        let loops = EventLoopGroup(count: loops)
        let blocking = BlockingPool(threads: 1, limit: 16)
        let connectionString = cluster.connectionString(database: "postgres", overSocket: true)
        var configuration = PostgresConfiguration(connectionString)
        configuration.connectionsPerLoop = connections / self.loops
        configuration.busyDepth = 1
        let pool = PostgresPool(configuration, on: loops, blocking: blocking)
        _ = try await ask(pool, loops, for: .milliseconds(300))
        let before = Measure.Processor(cluster)
        let (count, elapsed) = try await ask(pool, loops, for: time)
        let measure = Measure(count: count, elapsed: elapsed, since: before, cluster)
        pool.close()
        await onOwnThread { loops.stop() }
        blocking.stop()
        return measure
    }

    /// The number of answered queries and the seconds that they took.
    private func ask(_ pool: PostgresPool, _ group: EventLoopGroup, for time: Duration) async throws -> (Int, Double) {
        let start = ContinuousClock.now
        let count = try await withThrowingTaskGroup(of: Int.self) { tasks in
            for loop in group.loops {
                tasks.addTask { try await loop.run { try await ask(pool, loop, for: time) } }
            }
            return try await tasks.reduce(0, +)
        }
        return (count, (ContinuousClock.now - start) / Duration.seconds(1))
    }

    private func ask(_ pool: PostgresPool, _ loop: EventLoop, for time: Duration) async throws -> Int {
        let end = loop.now + time.wholeNanoseconds
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for caller in 0..<callers / loops {
                group.addTask {
                    var dice = Dice(seed: UInt64(caller + 1))
                    var count = 0
                    while loop.now < end {
                        let account = Int32(dice.next() % UInt64(Self.accounts)) + 1
                        _ = try await pool.query(Self.select, account).value(as: Int32.self)
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
    }
}

/// Fast random numbers: each number from the system costs a call into the kernel.
private struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}

import EventLoop
import Foundation
import Glibc
import Synchronization
import Telemetry

/// The cost of metrics, ids and logging on a loop, compared with the obvious alternatives.
///
/// Figures are nanoseconds of CPU for each operation on each loop, the median of all rounds, with one busy loop and
/// with two.
@main
struct BenchTelemetry {
    private static let rounds = 9

    static func main() async throws {
        let group = EventLoopGroup(count: 2)
        let metrics = MetricsRegistry(for: group)
        let counter = metrics.counter("x_total", "X.")
        let histogram = metrics.histogram("y_seconds", "Y.")
        let shared = SharedCounters()
        let ids = IDSource(for: group)
        let trace = TraceContext(from: ids)
        let log = Log(service: "bench", to: LogOutput(descriptor: open("/dev/null", O_WRONLY), limit: 1 << 30))
        let request = log.with(request: RequestID(from: ids), trace: trace)

        print("ns an operation            one loop  two loops")
        try await compare("Counter.increment", on: group, count: 2_000_000) { counter.increment() }
        try await compare("Histogram.observe", on: group, count: 2_000_000) { histogram.observe(UInt64(3_000_000)) }
        try await compare("  one shared Atomic", on: group, count: 2_000_000) { shared.addAtomically() }
        try await compare("  one shared Mutex", on: group, count: 500_000) { shared.addUnderLock() }
        try await compare("RequestID", on: group, count: 500_000) { keep(RequestID(from: ids)) }
        try await compare("TraceContext.child", on: group, count: 500_000) { keep(trace.child(from: ids)) }
        try await compare("  UUID()", on: group, count: 50_000) { keep(UUID()) }
        try await compare("Log.info, three fields", on: group, count: 20_000) {
            request.info(
                "answered", ["route": "GET /v1/rooms/:id", "status": 200, "time_ms": .duration(.microseconds(1234))])
        }
        try await compare("Log.debug, not written", on: group, count: 2_000_000) {
            request.debug("answered", ["route": "GET /v1/rooms/:id", "status": 200])
        }
        await onThread { group.stop() }
    }

    private static func compare(
        _ name: String, on group: EventLoopGroup, count: Int, _ operation: @escaping @Sendable () -> Void
    ) async throws {
        var figures: [Double] = []
        for loops in 1...2 {
            var costs: [Double] = []
            for _ in 0..<rounds {
                costs += await withTaskGroup(of: Double.self) { tasks in
                    for loop in group.loops.prefix(loops) {
                        tasks.addTask(executorPreference: loop) { cost(of: count, operation) }
                    }
                    return await tasks.reduce(into: []) { $0.append($1) }
                }
            }
            figures.append(costs.sorted()[costs.count / 2])
        }
        print(
            name.padding(toLength: 25, withPad: " ", startingAt: 0),
            String(format: "%9.1f  %9.1f", figures[0], figures[1]))
    }

    private static func cost(of count: Int, _ operation: () -> Void) -> Double {
        let start = threadTime()
        for _ in 0..<count { operation() }
        return (threadTime() - start) / Double(count)
    }

    private static func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    @inline(never)
    private static func keep<Value>(_ value: Value) {}

    private static func onThread(_ body: @escaping @Sendable () -> Void) async {
        try? await BlockingPool(threads: 1, limit: 1).run { body() }
    }
}

private final class SharedCounters: Sendable {
    private let atomic = Atomic<UInt64>(0)
    private let locked = Mutex<UInt64>(0)

    func addAtomically() { atomic.wrappingAdd(1, ordering: .relaxed) }

    func addUnderLock() { locked.withLock { $0 &+= 1 } }
}

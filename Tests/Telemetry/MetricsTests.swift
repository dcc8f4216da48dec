import EventLoop
import Foundation
import Telemetry
import TestSupport
import Testing

@Suite struct MetricsTests {
    private let group = EventLoopGroup(count: 2)

    @Test("The page is in Prometheus's text format")
    func page() {
        let metrics = MetricsRegistry(for: group)
        let answered = metrics.counter("answered_total", "Requests answered.", labels: ["route": "GET /v1/rooms/:id"])
        answered.increment()
        answered.increment(by: 4)
        metrics.counter("answered_total", "Requests answered.", labels: ["route": "a\"b\\c\nd"]).increment()
        let sockets = metrics.gauge("sockets", "Open sockets,\nof all kinds.")
        sockets.add(3)
        sockets.subtract(5)
        let times = metrics.histogram(
            "duration_seconds", "Time.", labels: ["kind": "x"], buckets: .durations(.milliseconds(5), .seconds(1)))
        times.observe(.milliseconds(5))
        times.observe(.milliseconds(6))
        times.observe(.seconds(2))
        let expected = #"""
            # HELP answered_total Requests answered.
            # TYPE answered_total counter
            answered_total{route="GET /v1/rooms/:id"} 5
            answered_total{route="a\"b\\c\nd"} 1
            # HELP sockets Open sockets,\nof all kinds.
            # TYPE sockets gauge
            sockets -2
            # HELP duration_seconds Time.
            # TYPE duration_seconds histogram
            duration_seconds_bucket{kind="x",le="0.005"} 1
            duration_seconds_bucket{kind="x",le="1.0"} 2
            duration_seconds_bucket{kind="x",le="+Inf"} 3
            duration_seconds_sum{kind="x"} 2.011
            duration_seconds_count{kind="x"} 3

            """#
        #expect(text(metrics) == expected)
    }

    @Test("The same name and labels are the same metric; other labels are another")
    func identity() {
        let metrics = MetricsRegistry(for: group)
        let first = metrics.counter("x_total", "X.", labels: ["a": "1"])
        #expect(metrics.counter("x_total", "X.", labels: ["a": "1"]) === first)
        #expect(metrics.counter("x_total", "X.", labels: ["a": "2"]) !== first)
        #expect(metrics.histogram("y", "Y.") === metrics.histogram("y", "Y."))
    }

    @Test("No count is lost when all loops and other threads count at once")
    func concurrency() async {
        let metrics = MetricsRegistry(for: group)
        let counter = metrics.counter("x_total", "X.")
        let gauge = metrics.gauge("g", "G.")
        let histogram = metrics.histogram("h", "H.", buckets: .numbers(10, 100))
        await withTaskGroup(of: Void.self) { tasks in
            for loop in group.loops + group.loops {
                tasks.addTask(executorPreference: loop) { Self.count(counter, gauge, histogram) }
            }
            for _ in 0..<2 { tasks.addTask { Self.count(counter, gauge, histogram) } }
            tasks.addTask { for _ in 0..<50 { _ = metrics.page() } }
        }
        #expect(counter.value == 6 * 20_000)
        #expect(gauge.value == 6)
        #expect(histogram.count == 6 * 20_000)
        #expect(text(metrics).contains("h_bucket{le=\"10.0\"} \(6 * 11 * 100)\n"))
        #expect(text(metrics).contains("h_sum \(Double(6 * 100 * 199 * 100))\n"))
    }

    private static func count(_ counter: Counter, _ gauge: Gauge, _ histogram: Histogram) {
        for number in 0..<20_000 {
            counter.increment()
            gauge.add()
            if number > 0 { gauge.subtract() }
            histogram.observe(UInt64(number % 200))
        }
    }

    @Test("The counts of two groups of loops are added up, also for loops with the same index")
    func foreignLoops() async {
        let metrics = MetricsRegistry(for: group)
        let counter = metrics.counter("x_total", "X.")
        let other = EventLoopGroup(count: 4)
        await withTaskGroup(of: Void.self) { tasks in
            for loop in group.loops + other.loops {
                tasks.addTask(executorPreference: loop) { for _ in 0..<20_000 { counter.increment() } }
            }
        }
        #expect(counter.value == 6 * 20_000)
    }

    @Test("Series beyond the limit count, but are not shown")
    func limit() {
        let metrics = MetricsRegistry(for: group, limit: 2)
        for number in 0..<5 { metrics.counter("x_total", "X.", labels: ["n": "\(number)"]).increment() }
        #expect(text(metrics).split(separator: "\n").filter { !$0.hasPrefix("#") }.count == 2)
    }

    @Test("The process metrics agree with the system")
    func process() throws {
        let metrics = MetricsRegistry(for: group)
        metrics.add(ProcessMetrics())
        var values: [String: Double] = [:]
        for line in text(metrics).split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: " ")
            values[String(parts[0])] = Double(parts[1])
        }
        let resident = try #require(values["process_resident_memory_bytes"])
        let anonymous = try #require(values["process_anonymous_memory_bytes"])
        #expect(resident > 5e6 && anonymous > 1e6 && anonymous < resident)
        #expect(try #require(values["process_memory_limit_bytes"]) > anonymous)
        #expect(try #require(values["process_virtual_memory_bytes"]) > resident)
        #expect(try #require(values["process_cpu_seconds_total"]) > 0)
        #expect(try #require(values["process_threads"]) >= 3)
        let before = try #require(values["process_open_fds"])
        #expect(before >= 3 && before <= (values["process_max_fds"] ?? 0))
        // The test process may have run for a long time.
        let age = Date().timeIntervalSince1970 - (values["process_start_time_seconds"] ?? 0)
        #expect(age > -60 && age < 86_400)
    }

    @Test("promtool check metrics finds no fault", .enabled(if: Promtool.path != nil))
    func promtool() async throws {
        let metrics = MetricsRegistry(for: group)
        metrics.add(ProcessMetrics())
        metrics.counter("maru_answered_total", "Requests.", labels: ["route": "a\"b\\c\nd", "status": "2xx"])
            .increment()
        metrics.gauge("maru_sockets", "Open sockets.").add(1)
        metrics.histogram("maru_duration_seconds", "Time, with a \\ and\na new line.").observe(.microseconds(1))
        metrics.histogram("maru_size_bytes", "Sizes.", buckets: .numbers(1, 1000)).observe(1)
        let (status, output) = try await Promtool.check(metrics.page())
        #expect(status == 0 && output.isEmpty, "\(output)")
    }

    private func text(_ metrics: MetricsRegistry) -> String { String(decoding: metrics.page(), as: UTF8.self) }
}

private enum Promtool {
    static let path = ["/usr/bin/promtool", ProcessInfo.processInfo.environment["PROMTOOL"] ?? ""].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    static func check(_ page: [UInt8]) async throws -> (status: Int32, output: String) {
        let folder = TemporaryFolder("maru-metrics")
        try Data(page).write(to: URL(fileURLWithPath: folder.path + "/page"))
        let command = "\(try #require(path)) check metrics < \(folder.path)/page"
        let process = try ChildProcess("/bin/sh", ["-c", command], log: folder.path + "/log")
        return (await process.wait(), process.output)
    }
}

import EventLoop
import HTTP
import ServiceSupport
import Telemetry
import Testing

@testable import ServiceKit

@Suite("The budget of client connections")
struct ConnectionBudgetTests {
    @Test(
        "A quarter of the descriptors, at most 1024, stays free for stores, other services and files",
        arguments: [(100, 65_536, 100), (100_000, 65_536, 64_512), (20_000, 1024, 768), (20_000, 4096, 3072)])
    func reserve(wanted: Int, openFiles: Int, limit: Int) async throws {
        let group = EventLoopGroup(count: 1)
        defer { group.stop() }
        let file = LogFile()
        let budget = ConnectionBudget(
            wanted: wanted, openFiles: openFiles, metrics: MetricsRegistry(for: group), log: file.log(.info))
        #expect(budget.limit == limit)
        let isSaid = try await file.text().contains("fewer connections than configured")
        #expect(isSaid == (limit < wanted))
    }

    @Test("Refusals are counted by their reason, and logged once in a while")
    func refusals() async throws {
        let group = EventLoopGroup(count: 1)
        defer { group.stop() }
        let file = LogFile()
        let metrics = MetricsRegistry(for: group)
        let budget = ConnectionBudget(wanted: 100, openFiles: 65_536, metrics: metrics, log: file.log(.info))
        for now: UInt64 in 1...3 { budget.refused(.limit, now: now) }
        let lines = try await file.text().split(separator: "\n")
        #expect(lines.count == 1)
        #expect(lines.first?.contains("client connections are refused") == true)
        let page = String(decoding: metrics.page(), as: UTF8.self)
        #expect(page.contains(#"maru_connections_refused_total{reason="limit"} 3"#))
    }

    @Test("A loop that looked at the clock before another one, and counts after it, is counted")
    func order() async throws {
        let group = EventLoopGroup(count: 1)
        defer { group.stop() }
        let metrics = MetricsRegistry(for: group)
        let budget = ConnectionBudget(wanted: 100, openFiles: 65_536, metrics: metrics, log: LogFile().log(.error))
        for now: UInt64 in [2000, 1000] { budget.refused(.limit, now: now) }
        let page = String(decoding: metrics.page(), as: UTF8.self)
        #expect(page.contains(#"maru_connections_refused_total{reason="limit"} 2"#))
    }
}

import EventLoop
import HTTP
import Redis
import ServiceKit
import ServiceSupport
import Synchronization
import Telemetry
import TestSupport
import Testing

@Suite("Operator pages")
struct OperatorPageTests {
    @Test("A draining service is not ready, reads no more stream entries and finishes its open calls")
    func draining() async throws {
        let heard = Mutex(0)
        let isBegun = Mutex(false)
        let isOver = Mutex(false)
        let service = try await ServiceUnderTest("sample", [], ["drain_timeout": "5m"]) { builder in
            try builder.stream("things") { _ in heard.withLock { $0 += 1 } }
            builder.publicRoutes { routes in
                routes.open(.get, "/v1/slow") { call in
                    isBegun.withLock { $0 = true }
                    try await eventually("its end") { isOver.withLock(\.self) }
                    return call.done()
                }
            }
        }
        let inside = service.running.internalAddress.port
        try await service.redis.command("XADD", "things", "*", "a", "b")
        try await eventually("an entry") { heard.withLock(\.self) == 1 }
        async let slow = service.call("GET", "/v1/slow")
        try await eventually("a call") { isBegun.withLock(\.self) }
        async let stopped: Void = service.running.stop()
        try await eventually("draining") { try await HTTPCall.get(port: inside, "/readyz").status == 503 }
        try await eventually(within: .seconds(30), "an end of reading") {
            try await !service.redis.command("CLIENT", "LIST").joined().contains("cmd=xreadgroup")
        }
        let reply = try await HTTPCall.get(port: inside, "/readyz")
        #expect(reply.status == 503)
        #expect(reply.text == "not ready: draining\n")
        #expect(try await HTTPCall.get(port: inside, "/healthz").status == 200)
        isOver.withLock { $0 = true }
        #expect(try await slow.status == 200)
        await stopped
        try await eventually("an end of the internal port") { (try? RawConnection(port: inside)) == nil }
        service.loops.stop()
        await service.redis.stop()
    }

    @Test("A service without its database is not ready and names the database, until it is back")
    func databaseAway() async throws {
        let cluster = try await PostgresCluster.start()
        let sample = try await SampleService(database: try await cluster.makeDatabase())
        let port = sample.service.running.internalAddress.port
        @Sendable func readiness() async throws -> String { try await HTTPCall.get(port: port, "/readyz").text }
        #expect(try await readiness() == "ready\n")
        await cluster.kill()
        let reply = try await HTTPCall.get(port: port, "/readyz")
        #expect(reply.status == 503)
        #expect(reply.text == "not ready: postgres\n")
        try await cluster.start()
        try await eventually("readiness") { try await readiness() == "ready\n" }
        await sample.stop()
        await cluster.stop()
    }

    @Test("The metrics page is written on the blocking pool, not on a loop")
    func metrics() async throws {
        struct GaugeSource: MetricsSource {
            func write(to page: inout MetricsPage) {
                page.begin("sample_on_loop", .gauge, "Whether the page is written on a loop.")
                page.value(EventLoop.current == nil ? 0 : 1)
            }
        }
        let service = try await ServiceUnderTest("sample", []) { builder in builder.metrics.add(GaugeSource()) }
        let reply = try await HTTPCall.get(port: service.running.internalAddress.port, "/metrics")
        #expect(reply.status == 200)
        #expect(reply.text.contains("\nsample_on_loop 0.0\n"))
        await service.stop()
        await service.redis.stop()
    }
}

import EventLoop
import Foundation
import Telemetry
import Testing
import Wire

@Suite struct LogTests {
    private let group = EventLoopGroup(count: 2)

    @Test("A line is one JSON object with the time in UTC, the level, the service and the message")
    func line() async throws {
        let lines = LogLines()
        let before = Timestamp.now
        lines.log().warning(
            "a \"quoted\" event", ["count": 3, "stream": .name("facts:chat\n"), "late": true, "kind": "live"])
        let after = Timestamp.now
        let text = try #require(await lines.read().first)
        // The minute may have changed in between.
        #expect([before, after].contains { text.hasPrefix("{\"time\":\"\($0.description.prefix(16))") })
        let fields = try parse(text)
        #expect(fields["level"] as? String == "warning")
        #expect(fields["service"] as? String == "test-service")
        #expect(fields["message"] as? String == "a \"quoted\" event")
        #expect(fields["count"] as? Int == 3 && fields["stream"] as? String == "facts:chat\n")
        #expect(fields["late"] as? Bool == true && fields["kind"] as? String == "live")
        #expect(fields["request_id"] == nil && fields["trace_id"] == nil)
    }

    @Test("A request's lines have its id and its trace")
    func context() async throws {
        let lines = LogLines()
        let ids = IDSource(for: group)
        let (request, trace) = (RequestID(from: ids), TraceContext(from: ids))
        lines.log().with(request: request, trace: trace).info("answered", ["time_ms": .duration(.microseconds(1234))])
        let fields = try parse(try #require(await lines.read().first))
        #expect(fields["request_id"] as? String == request.description)
        #expect(fields["trace_id"] as? String == trace.traceID.description)
        #expect(fields["span_id"] as? String == trace.spanID.description)
        #expect(fields["time_ms"] as? Double == 1.234)
    }

    @Test("Lines below the level are not written, and their fields are not evaluated")
    func level() async throws {
        let lines = LogLines()
        let log = lines.log(level: .warning)
        func never() -> LogValue {
            Issue.record("a field of a line that is not written was computed")
            return 0
        }
        log.debug("one", ["x": never()])
        log.info("two", ["x": never()])
        log.warning("three")
        log.error("four")
        let messages = try await lines.read().map { try parse($0)["message"] as? String }
        #expect(messages == ["three", "four"])
    }

    @Test("Only type and case are logged of an error without its own text, and nothing of a secret")
    func secrecy() async throws {
        struct WithSecret: Error { let email = "someone@example.com" }
        enum Failure: Error {
            case plain
            case saying(String)
        }
        struct Vouching: LoggableError { var logText: String { "disk full" } }
        let lines = LogLines()
        let log = lines.log()
        for error in [WithSecret(), Failure.plain, Failure.saying("hello someone"), Vouching()] as [any Error] {
            log.error("failed", ["cause": .cause(error)])
        }
        log.info("signed in", ["password": .redacted])
        let all = await lines.read()
        #expect(!all.contains { $0.contains("someone") })
        let causes = try all.map { try parse($0)["cause"] as? String }
        #expect(causes == ["WithSecret", "Failure.plain", "Failure.saying", "disk full", nil])
        #expect(try parse(all[4])["password"] as? String == "•••")
    }

    @Test("A long name is truncated between characters")
    func cut() async throws {
        let lines = LogLines()
        lines.log().info("x", ["a": .name(String(repeating: "마", count: 200)), "b": .name("short")])
        let fields = try parse(try #require(await lines.read().first))
        #expect(fields["a"] as? String == String(repeating: "마", count: 85) + "…")
        #expect(fields["b"] as? String == "short")
    }

    @Test("Lines of many threads are written whole and none is lost")
    func threads() async throws {
        let lines = LogLines(limit: 16 << 20)
        let log = lines.log()
        let reader = Task.detached {
            var all: [String] = []
            while all.count < 4000 { all += lines.readAvailable() }
            return all
        }
        await withTaskGroup(of: Void.self) { tasks in
            for writer in 0..<4 {
                tasks.addTask(executorPreference: group.loops[writer % 2]) {
                    for number in 0..<1000 { log.info("line", ["writer": .count(writer), "number": .count(number)]) }
                }
            }
        }
        var next = [0, 0, 0, 0]
        for text in await reader.value {
            let fields = try parse(text)
            let writer = try #require(fields["writer"] as? Int)
            #expect(fields["number"] as? Int == next[writer])
            next[writer] += 1
        }
        #expect(next == [1000, 1000, 1000, 1000])
        #expect(lines.output.dropped == 0)
    }

    @Test("A loop does not wait for a reader that is stuck: lines beyond the limit are dropped, counted and reported")
    func fullPipe() async throws {
        let lines = LogLines(limit: 10_000)
        _ = lines.fillPipe()
        let log = lines.log()
        // Nothing reads until the loop is done: a loop that waited would wait for ever.
        try await group.loops[0].run {
            for number in 0..<1000 { log.info("line", ["number": .count(number)]) }
        }
        let dropped = Int(lines.output.dropped)
        #expect(dropped > 700 && dropped < 1000)
        // The number of lines that arrived, and the number reported as dropped.
        let reader = Task.detached {
            var (came, reported) = (0, 0)
            while came + reported < 1000 {
                for line in try lines.readAvailable().map(parse) {
                    if let count = line["count"] as? Int { reported += count } else { came += 1 }
                }
            }
            return (came, reported)
        }
        #expect(try await reader.value == (1000 - dropped, dropped))
        log.info("again")
        #expect(await lines.read().last?.contains("again") == true)
    }

    @Test("A reader that has closed the pipe loses the lines, and nothing else happens")
    func closedPipe() async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let output = LogOutput(descriptor: ends[1])
        close(ends[0])
        let log = Log(service: "test", to: output)
        for _ in 0..<10 { log.info("into the void") }
        await output.flush()
        close(ends[1])
    }

    @Sendable private func parse(_ line: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
}

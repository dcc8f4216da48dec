import Contract
import EventLoop
import Foundation
import Redis
import ServiceKit
import ServiceSupport
import Synchronization
import Telemetry
import TestSupport
import Testing
import Wire

@Suite("Messages that a service cannot read")
struct UnknownMessageTests {
    private enum CountFact: Fact {
        case counted(Int)

        enum Name: String, CaseIterable, Sendable { case counted }

        static let source = "other"

        var name: Name { .counted }
        func write(to json: inout JSONWriter) {
            guard case .counted(let number) = self else { return }
            json.object { $0.field("number", number) }
        }
        init?(_ name: Name, _ body: JSONValue) {
            guard let number = body.int("number") else { return nil }
            self = .counted(number)
        }
    }

    /// Runs `body` with a service that consumes the facts of `other` and follows hints about profiles.
    private func use(
        _ body: (ServiceUnderTest, _ handled: @escaping @Sendable () -> [Int], _ log: String) async throws -> Void
    ) async throws {
        let folder = TemporaryFolder("maru-log")
        let path = folder.path + "/log"
        let file = open(path, O_CREAT | O_WRONLY | O_APPEND, 0o600)
        defer { close(file) }
        let handled = Handled()
        let service = try await ServiceUnderTest(
            "sample", [], log: Log(service: "sample", level: .warning, to: LogOutput(descriptor: file))
        ) { builder in
            try builder.facts { (fact: CountFact) in handled.add(fact) }
            _ = try builder.subscriber().listen(to: ProfileVersion.self, on: builder.loops.loops[0]) { event in
                if case .message(let profile) = event { handled.numbers.withLock { $0.append(Int(profile.version)) } }
            }
        }
        let redis = service.redis
        do {
            try await service.lent { try await body($0, { handled.numbers.withLock(\.self) }, path) }
        } catch {
            await redis.stop()
            throw error
        }
        await redis.stop()
    }

    private final class Handled: Sendable {
        let numbers = Mutex<[Int]>([])

        func add(_ fact: CountFact) {
            guard case .counted(let number) = fact else { return }
            numbers.withLock { $0.append(number) }
        }
    }

    @Test("A fact of an unknown type or form is acknowledged, counted and logged once a type")
    func facts() async throws {
        try await use { service, handled, log in
            let entries: [(type: String, body: String)] = [
                ("counted", #"{"number":1}"#), ("invented", "{}"), ("invented", #"{"number":5}"#),
                ("counted", #"{"number":"x"}"#), ("counted", "no JSON"), ("A type\nof \"no\" form", "{}"),
                ("counted", #"{"number":2,"new_member":true}"#),
            ]
            for (index, entry) in entries.enumerated() {
                try await service.redis.command(
                    "XADD", "facts:other", "*", "id", "\(index)", "type", entry.type, "body", entry.body)
            }
            try await service.redis.command("XADD", "facts:other", "*", "something", "else")
            try await service.redis.command(
                "XADD", "facts:other", "*", "id", "9", "type", "counted", "body", #"{"number":3}"#)
            try await eventually("the last fact") { handled() == [1, 2, 3] }
            try await eventually("all acknowledged") {
                try await service.redis.command("XPENDING", "facts:other", "sample").first == "0"
            }
            let page = try await HTTPCall.get(port: service.running.internalAddress.port, "/metrics").text
            for (type, count) in [("invented", 2), ("counted", 2), ("other", 1), ("none", 1)] {
                let series = #"maru_messages_unknown_total{source="facts:other",type="\#(type)"} \#(count)"#
                #expect(page.contains(series), "\(type)")
            }
            try await eventually("the log") {
                let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
                return lines.count { $0.contains("cannot be read") } == 4
            }
        }
    }

    @Test("A hint that cannot be read is counted, and the next one arrives")
    func hints() async throws {
        try await use { service, handled, _ in
            try await service.redis.untilHeard("invalidate:users", by: 1)
            for hint in ["no JSON", #"{"user_id":"0","version":1}"#, #"{"user_id":"7","version":4,"new_member":[]}"#] {
                try await service.redis.command("PUBLISH", "invalidate:users", hint)
            }
            try await eventually("the last hint") { handled() == [4] }
            let page = try await HTTPCall.get(port: service.running.internalAddress.port, "/metrics").text
            #expect(page.contains(#"maru_messages_unknown_total{source="invalidate:users",type="none"} 2"#))
        }
    }

    @Test("No more than a limited number of types has a series of its own")
    func bounded() throws {
        let metrics = MetricsRegistry(for: EventLoopGroup(count: 1))
        let log = Log(service: "sample", level: .error, to: LogOutput(descriptor: 2))
        let unknown = UnknownMessages(metrics: metrics, log: log)
        for number in 0..<1000 { unknown.count(type: "type.\(number)", from: "facts:other") }
        let lines = String(decoding: metrics.page(), as: UTF8.self).split(separator: "\n")
        let series = lines.filter { $0.hasPrefix("maru_messages_unknown_total{") }
        #expect(series.count <= 51)
        #expect(series.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +) == 1000)
    }
}

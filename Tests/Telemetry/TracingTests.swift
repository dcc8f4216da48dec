import EventLoop
import Telemetry
import Testing

@Suite struct TracingTests {
    private let ids = IDSource(for: EventLoopGroup(count: 2))
    private static let example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test("A traceparent is parsed and written back unchanged")
    func roundTrip() throws {
        let context = try #require(parse(Self.example))
        #expect(context.traceID.description == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(context.spanID.description == "00f067aa0ba902b7")
        #expect(context.isSampled && context.traceparent == Self.example)
        for _ in 0..<1000 {
            let new = TraceContext(from: ids, isSampled: Bool.random())
            #expect(parse(new.traceparent) == new)
            #expect(new.traceparent.utf8.count == 55)
        }
    }

    @Test(
        "A malformed traceparent starts a new trace",
        arguments: [
            "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-extra",
            "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01extra",
            "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
            " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ])
    func malformed(text: String) {
        #expect(parse(text) == nil)
    }

    @Test("A later version is parsed as far as it is known, and answered in version 00")
    func laterVersion() throws {
        let later = try #require(parse("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-03-what-comes"))
        #expect(later.traceparent == Self.example)
    }

    @Test("A child keeps the trace, its sampling and its state, and has its own id")
    func child() throws {
        let parent = try #require(parse(Self.example, state: "vendor=1,other=2"))
        let child = parent.child(from: ids)
        #expect(child.traceID == parent.traceID && child.spanID != parent.spanID)
        #expect(child.isSampled && child.state == "vendor=1,other=2")
        #expect(parse(Self.example, state: "a=\u{1}")?.state == nil)
        #expect(parse(Self.example, state: String(repeating: "x", count: 513))?.state == nil)
    }

    @Test("A million ids from all loops at once are all different")
    func unique() async throws {
        let group = EventLoopGroup(count: 2)
        let ids = IDSource(for: group)
        var drawn = await withTaskGroup(of: [UInt64].self) { tasks in
            for loop in group.loops {
                tasks.addTask(executorPreference: loop) { (0..<250_000).map { _ in ids.next() } }
            }
            for _ in 0..<2 { tasks.addTask { (0..<250_000).map { _ in ids.next() } } }
            return await tasks.reduce(into: []) { $0 += $1 }
        }
        // Each bit is set in about half of them.
        let some = drawn.indices.filter { $0 % 20 == 0 }.map { drawn[$0] }
        for bit in 0..<64 {
            let set = some.count { $0 >> UInt64(bit) & 1 == 1 }
            #expect(set > 24_000 && set < 26_000)
        }
        drawn.sort()
        #expect(drawn.count == 1_000_000 && !zip(drawn, drawn.dropFirst()).contains { $0 == $1 })
        #expect(IDSource(for: group).next() != IDSource(for: group).next())
    }

    @Test("A request's id is short and plain; an id from outside is accepted only if it is well-formed")
    func requestIDs() {
        let id = RequestID(from: ids)
        #expect(id.description.utf8.count == 13)
        #expect(RequestID(id.description.utf8.span) == id)
        #expect(RequestID("0123456789abcdef0123456789abcdef".utf8.span) != nil)
        for bad in ["", "short", "with blank 1", "new\nline-123", "\"quoted\"", String(repeating: "x", count: 65)] {
            #expect(RequestID(bad.utf8.span) == nil)
        }
    }

    private func parse(_ text: String, state: String? = nil) -> TraceContext? {
        guard let state else { return TraceContext(traceparent: text.utf8.span) }
        return TraceContext(traceparent: text.utf8.span, state: state.utf8.span)
    }
}

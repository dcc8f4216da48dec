import EventLoop
import ServiceKit
import Synchronization
import TestSupport
import Testing

@Suite("Gathered reads")
struct GatheredReadsTests {
    private struct Broken: Error {}

    /// The questions so far, and what holds back their answers.
    private final class Questions: Sendable {
        private let asked = Mutex<[[Int]]>([])
        let isHeld = Mutex(false)

        var all: [[Int]] { asked.withLock(\.self) }

        func answer(_ keys: [Int]) async throws -> [Int: String] {
            asked.withLock { $0.append(keys.sorted()) }
            while isHeld.withLock(\.self) { try await EventLoop.current?.sleep(for: .milliseconds(1)) }
            if keys.contains(13) { throw Broken() }
            return Dictionary(uniqueKeysWithValues: keys.filter { $0 >= 0 }.map { ($0, "value \($0)") })
        }
    }

    /// Runs `body` on a loop with reads that hold up the next question for as long as the first takes.
    private func onLoop(
        limit: Int = 100, patience: Duration = .seconds(60),
        _ body: @escaping @Sendable (GatheredReads<Int, String>, Questions) async throws -> Void
    ) async throws {
        let loops = EventLoopGroup(count: 1)
        let questions = Questions()
        let reads = GatheredReads(on: loops, limit: limit, patience: patience) { try await questions.answer($0) }
        try await loops.loops[0].run { try await body(reads, questions) }
        await onOwnThread { loops.stop() }
    }

    @Test("Each gets their own answer, nil where there is none")
    func answers() async throws {
        try await onLoop { reads, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for key in -5..<10 {
                    group.addTask {
                        let value = try await reads.value(of: key)
                        #expect(value == (key < 0 ? nil : "value \(key)"))
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("Who asks while a question is under way is in the next one, never in that")
    func next() async throws {
        try await onLoop { reads, questions in
            questions.isHeld.withLock { $0 = true }
            async let first = reads.value(of: 1)
            while questions.all.isEmpty { try await EventLoop.current?.sleep(for: .milliseconds(1)) }
            try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 1...3 { for key in 1...4 { group.addTask { try await reads.value(of: key) } } }
                try await EventLoop.current?.sleep(for: .milliseconds(20))
                #expect(questions.all == [[1]])
                questions.isHeld.withLock { $0 = false }
                try await group.waitForAll()
            }
            #expect(try await first == "value 1")
            #expect(questions.all == [[1], [1, 2, 3, 4]])
        }
    }

    @Test("A question that takes long does not hold up the next")
    func impatient() async throws {
        try await onLoop(patience: .milliseconds(5)) { reads, questions in
            questions.isHeld.withLock { $0 = true }
            async let first = reads.value(of: 1)
            while questions.all.isEmpty { try await EventLoop.current?.sleep(for: .milliseconds(1)) }
            async let second = reads.value(of: 2)
            while questions.all.count < 2 { try await EventLoop.current?.sleep(for: .milliseconds(1)) }
            questions.isHeld.withLock { $0 = false }
            #expect(try await [first, second] == ["value 1", "value 2"])
        }
    }

    @Test("No question has more keys than the limit, and one that fails fails for those in it alone")
    func failure() async throws {
        try await onLoop(limit: 4) { reads, questions in
            let failed = await withTaskGroup(of: Int?.self) { group in
                for key in 10..<20 {
                    group.addTask {
                        do { _ = try await reads.value(of: key) } catch { return key }
                        return nil
                    }
                }
                return await group.reduce(into: [Int]()) { failed, key in if let key { failed.append(key) } }
            }
            #expect(questions.all.allSatisfy { $0.count <= 4 })
            let broken = questions.all.first { $0.contains(13) }
            #expect(failed.sorted() == broken)
        }
    }
}

import EventLoop
import ServiceKit
import Synchronization
import TestSupport
import Testing

@Suite("Gathered reads")
struct GatheredReadsTests {
    private struct Broken: Error {}

    /// The keys of each fetch so far. While `isHeld` is true, fetches do not end.
    private final class Fetches: Sendable {
        private let keys = Mutex<[[Int]]>([])
        let isHeld = Mutex(false)

        var all: [[Int]] { keys.withLock(\.self) }

        func run(_ keys: [Int]) async throws -> [Int: String] {
            self.keys.withLock { $0.append(keys.sorted()) }
            while isHeld.withLock(\.self) { try await EventLoop.current?.sleep(for: .milliseconds(1)) }
            if keys.contains(13) { throw Broken() }
            return Dictionary(uniqueKeysWithValues: keys.filter { $0 >= 0 }.map { ($0, "value \($0)") })
        }
    }

    /// Runs `body` on a loop with reads. Their next fetch waits until the first one has ended.
    private func onLoop(
        limit: Int = 100, overlap: Duration = .seconds(60),
        _ body: @escaping @Sendable (GatheredReads<Int, String>, Fetches) async throws -> Void
    ) async throws {
        let loops = EventLoopGroup(count: 1)
        let fetches = Fetches()
        let reads = GatheredReads(on: loops, limit: limit, overlap: overlap) { try await fetches.run($0) }
        try await loops.loops[0].run { try await body(reads, fetches) }
        await onOwnThread { loops.stop() }
    }

    @Test("Each reader receives the value of its key, or nil if the key has none")
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

    @Test("A read during a fetch joins the next fetch, never the one in progress")
    func next() async throws {
        try await onLoop { reads, fetches in
            fetches.isHeld.withLock { $0 = true }
            async let first = reads.value(of: 1)
            while fetches.all.isEmpty { try await EventLoop.current?.sleep(for: .milliseconds(1)) }
            try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 1...3 { for key in 1...4 { group.addTask { try await reads.value(of: key) } } }
                try await EventLoop.current?.sleep(for: .milliseconds(20))
                #expect(fetches.all == [[1]])
                fetches.isHeld.withLock { $0 = false }
                try await group.waitForAll()
            }
            #expect(try await first == "value 1")
            #expect(fetches.all == [[1], [1, 2, 3, 4]])
        }
    }

    @Test("A fetch that takes long does not delay the next one")
    func slow() async throws {
        try await onLoop(overlap: .milliseconds(5)) { reads, fetches in
            fetches.isHeld.withLock { $0 = true }
            async let first = reads.value(of: 1)
            while fetches.all.isEmpty { try await EventLoop.current?.sleep(for: .milliseconds(1)) }
            async let second = reads.value(of: 2)
            while fetches.all.count < 2 { try await EventLoop.current?.sleep(for: .milliseconds(1)) }
            fetches.isHeld.withLock { $0 = false }
            #expect(try await [first, second] == ["value 1", "value 2"])
        }
    }

    @Test("A fetch has no more keys than the limit, and its error reaches only its own readers")
    func failure() async throws {
        try await onLoop(limit: 4) { reads, fetches in
            let failed = await withTaskGroup(of: Int?.self) { group in
                for key in 10..<20 {
                    group.addTask {
                        do { _ = try await reads.value(of: key) } catch { return key }
                        return nil
                    }
                }
                return await group.reduce(into: [Int]()) { failed, key in if let key { failed.append(key) } }
            }
            #expect(fetches.all.allSatisfy { $0.count <= 4 })
            let broken = fetches.all.first { $0.contains(13) }
            #expect(failed.sorted() == broken)
        }
    }
}

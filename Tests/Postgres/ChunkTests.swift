import Glibc
import Postgres
import TestSupport
import Testing

@Suite struct ChunkTests {
    private static let history = Statement("history", "select n, repeat('x', 1000) from generate_series(1, $1) n")

    @Test(
        "A result comes in chunks, complete and in order, whatever its size is a multiple of",
        arguments: [0, 1, 20, 25])
    func chunks(total: Int) async throws {
        try await Database.use { pool, _ in
            let sizes = try await pool.transaction(.readOnly) { tx in
                var next = 1
                var sizes: [Int] = []
                for try await rows in try tx.chunks(of: 10, Self.history, total) {
                    sizes.append(rows.count)
                    for var row in rows {
                        let number: Int = try row.next()
                        #expect(number == next)
                        next += 1
                    }
                }
                return sizes
            }
            #expect(sizes.reduce(0, +) == total && sizes.allSatisfy { (1...10).contains($0) })
        }
    }

    @Test("Two results of one transaction may be read side by side")
    func sideBySide() async throws {
        try await Database.use { pool, _ in
            try await pool.transaction { tx in
                let other = try tx.chunks(of: 2, Self.history, 5).makeAsyncIterator()
                var iterator = other
                var count = 0
                for try await rows in try tx.chunks(of: 3, Self.history, 5) {
                    count += rows.count
                    count += try await iterator.next()?.count ?? 0
                }
                #expect(count == 9)
            }
        }
    }

    /// The address sanitizer keeps what is freed.
    private static let isSanitized = dlsym(nil, "__asan_init") != nil

    @Test("200,000 messages cost the memory of one chunk", .disabled(if: isSanitized))
    func memory() async throws {
        // In a process of its own, as other tests need memory too.
        await #expect(processExitsWith: .success) {
            try await Database.use { pool, _ in
                let count = try await pool.within(.seconds(60)).transaction(.readOnly) { tx in
                    let before = try Self.anonymousMemory()
                    var peak = before
                    var count = 0
                    for try await rows in try tx.chunks(of: 500, Self.history, 200_000) {
                        count += rows.count
                        if count % 20_000 == 0 { peak = max(peak, try Self.anonymousMemory()) }
                    }
                    // All rows at once are 200 MB and more.
                    #expect(peak - before < 20_000_000)
                    return count
                }
                #expect(count == 200_000)
            }
        }
    }

    private static func anonymousMemory() throws -> Int {
        let line = try String(contentsOfFile: "/proc/self/status").split(separator: "\n").first {
            $0.hasPrefix("RssAnon")
        }
        let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return try #require(kilobytes) * 1024
    }
}

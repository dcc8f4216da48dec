import EventLoop
import TestSupport
import Testing

@testable import ServiceKit

@Suite("Copies of stored files")
struct FileCacheTests {
    private let folder = TemporaryFolder("maru-copies")
    private let pool = BlockingPool(threads: 2, limit: 64)

    private func store() throws -> FolderFileStore { try FolderFileStore(root: folder.path, folders: [], pool: pool) }

    private func cache(limit: Int) throws -> FileCache {
        try FileCache(folder: folder.path + "/copies", limit: limit, pool: pool)
    }

    private func add(_ name: String, _ size: Int, to cache: FileCache) async throws {
        let upload = try await store().begin()
        try await upload.write([UInt8](repeating: 1, count: size).span.bytes)
        try await upload.flush()
        #expect(try await cache.adopt(upload, as: name).size == size)
    }

    @Test("The least recently used copies go when the limit is exceeded")
    func eviction() async throws {
        let cache = try cache(limit: 1000)
        for number in 0..<10 { try await add("f/\(number)", 100, to: cache) }
        _ = try await cache.open("f/0")
        try await add("f/10", 100, to: cache)
        #expect(cache.size == 900)
        #expect(try await cache.open("f/0")?.size == 100)
        #expect(try await cache.open("f/1") == nil)
        #expect(try await cache.open("f/2") == nil)
        #expect(try await cache.open("f/10")?.size == 100)
    }

    @Test("A file larger than the limit is opened, and not kept")
    func tooLarge() async throws {
        let cache = try cache(limit: 50)
        try await add("f/large", 100, to: cache)
        #expect(cache.size == 0)
        #expect(try await cache.open("f/large") == nil)
    }

    @Test("A new cache forgets the copies of an earlier process, and a lost copy is a miss")
    func restart() async throws {
        let first = try cache(limit: 1000)
        try await add("f/a", 10, to: first)
        let second = try cache(limit: 1000)
        #expect(try await first.open("f/a") == nil)
        #expect(second.size == 0)
        try await add("f/a", 10, to: second)
        try await second.remove(["f/a", "f/never"])
        #expect(second.size == 0)
        #expect(try await second.open("f/a") == nil)
    }

    @Test("The copies in a folder are deleted without a cache, and a missing folder has none")
    func emptying() async throws {
        let cache = try cache(limit: 1000)
        try await add("f/a", 10, to: cache)
        try FileCache.empty(folder.path + "/copies")
        #expect(try await cache.open("f/a") == nil)
        try FileCache.empty(folder.path + "/never")
    }
}

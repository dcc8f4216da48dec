import EventLoop
import Foundation
import ServiceKit
import Testing

@Suite("Folder file store")
struct FolderFileStoreTests {
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "maru-store-\(UInt64.random(in: 0 ... .max))")
    private let pool = BlockingPool(threads: 2, limit: 64)

    private func store() throws -> FolderFileStore {
        try FolderFileStore(root: folder.path, folders: ["profiles"], pool: pool)
    }

    private func names(in path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: path).path)
    }

    private func upload(_ bytes: [UInt8], to store: FolderFileStore) async throws -> FileUpload {
        let upload = try await store.begin()
        for start in stride(from: 0, to: bytes.count, by: 100_000) {
            try await upload.write(Array(bytes[start..<min(bytes.count, start + 100_000)]).span.bytes)
        }
        return upload
    }

    @Test("A kept file has its whole content, and no upload is left")
    func roundTrip() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let store = try store()
        let content = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let upload = try await upload(content, to: store)
        #expect(upload.size == content.count)
        #expect(upload.head == Array(content.prefix(FileType.headSize)))
        try await store.keep(upload, as: "profiles/a1.jpg")
        let stored = try #require(try await store.open("profiles/a1.jpg"))
        #expect(stored.size == content.count)
        #expect(try Data(contentsOf: folder.appending(path: "profiles/a1.jpg")) == Data(content))
        #expect(try names(in: ".uploads").isEmpty)
        try await store.remove(["profiles/a1.jpg", "profiles/never.jpg"])
        #expect(try await store.open("profiles/a1.jpg") == nil)
        #expect(try await store.open("profiles/" + String(repeating: "a", count: 300)) == nil)
    }

    @Test("A removed file is kept with the time of its removal where retired files are kept")
    func retired() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(
            at: folder.appending(path: ".retired"), withIntermediateDirectories: true)
        let store = try store()
        try await store.keep([1, 2, 3], as: "profiles/a1.jpg")
        let before = Int64(Date().timeIntervalSince1970 * 1000)
        try await store.remove(["profiles/a1.jpg", "profiles/never.jpg"])
        let after = Int64(Date().timeIntervalSince1970 * 1000) + 1
        #expect(try await store.open("profiles/a1.jpg") == nil)
        let name = try #require(try names(in: ".retired").first)
        let parts = name.split(separator: "+")
        let removedAt = try #require(Int64(parts[0]))
        #expect(before <= removedAt && removedAt <= after && parts.dropFirst() == ["profiles", "a1.jpg"])
        #expect(try Data(contentsOf: folder.appending(path: ".retired/\(name)")) == Data([1, 2, 3]))
        #expect(try names(in: ".retired").count == 1)
    }

    @Test("An upload that is not kept leaves nothing")
    func aborted() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let store = try store()
        do {
            let upload = try await upload([UInt8](repeating: 7, count: 600_000), to: store)
            #expect(try names(in: ".uploads").count == 1)
            _ = upload.size
        }
        #expect(try names(in: ".uploads").isEmpty)
        #expect(try names(in: "profiles").isEmpty)
    }

    @Test(
        "A name that leaves the store's folders is refused",
        arguments: [
            "profiles/../../etc/passwd", "/etc/passwd", "profiles", "profiles/", "profiles/.hidden", "a/b/c",
            "profiles/a b",
            "../x", "profiles/a\0b",
        ])
    func names(name: String) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let store = try store()
        await #expect(throws: InvalidFileName.self) { try await store.open(name) }
        await #expect(throws: InvalidFileName.self) { try await store.remove([name]) }
    }

    @Test("Uploads that a crash left behind are deleted after a day")
    func abandoned() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(
            at: folder.appending(path: ".uploads"), withIntermediateDirectories: true)
        let old = folder.appending(path: ".uploads/old").path
        for path in [old, folder.appending(path: ".uploads/young").path] {
            try #require(FileManager.default.createFile(atPath: path, contents: Data([1])))
        }
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -90_000)], ofItemAtPath: old)
        let store = try store()
        #expect(try names(in: ".uploads").count == 2)
        try await store.dropAbandonedUploads()
        #expect(try names(in: ".uploads") == ["young"])
    }
}

import HTTP
import TestSupport
import Testing
import Wire

@testable import ServiceKit

@Suite("Files in S3")
struct S3FileStoreTests {
    private func fixture() async throws -> (S3Fixture, url: String) {
        let server = try await SeaweedServer.ofThisProcess()
        return (try S3Fixture(at: server.url), server.url)
    }

    @Test(
        "A kept file is read by another instance with its whole content",
        arguments: [1, 300_000, 3 << 20, (8 << 20) + 1, 20 << 20])
    func roundTrip(size: Int) async throws {
        let (fixture, url) = try await fixture()
        let (name, content) = ("profiles/r\(size).jpg", S3Fixture.content(size))
        try await fixture.keep(content, as: name)
        #expect(try await fixture.content(of: name) == content)
        let other = try S3Fixture(at: url)
        #expect(try await other.content(of: name) == content)
        try await other.run { try await $0.remove([name, "profiles/never.jpg"]) }
        #expect(try await other.content(of: name) == nil)
        #expect(try await S3Fixture(at: url).content(of: name) == nil)
    }

    @Test("A file is read piece by piece from any offset, by an instance without a copy of it too")
    func pieces() async throws {
        let (fixture, url) = try await fixture()
        let (name, content) = ("profiles/pieces.jpg", S3Fixture.content((8 << 20) + 5))
        try await fixture.keep(content, as: name)
        let other = try S3Fixture(at: url)
        for reader in [fixture, other] {
            func read(_ offset: Int, _ count: Int) async throws -> FilePiece? {
                try await reader.run { try await $0.read(name, from: offset, atMost: count) }
            }
            let first = try #require(try await read(0, 1 << 20))
            #expect(first.bytes == Array(content[..<(1 << 20)]))
            #expect(first.size == content.count)
            // Across the end of a part of the upload, and at the end of the file.
            #expect(try await read((8 << 20) - 3, 6)?.bytes == Array(content[((8 << 20) - 3)..<((8 << 20) + 3)]))
            #expect(try await read(content.count - 2, 100)?.bytes == Array(content.suffix(2)))
            let behind = try #require(try await read(content.count + 1, 100))
            #expect(behind.bytes.isEmpty && behind.size == content.count)
            let never = try await reader.run { try await $0.read("profiles/never.jpg", from: 0, atMost: 1) }
            #expect(never == nil)
        }
    }

    @Test("A file that is still in the folder is read from there, and removed from there")
    func folder() async throws {
        let (fixture, _) = try await fixture()
        let folder = try FolderFileStore(root: fixture.folder.path, folders: ["profiles"], pool: fixture.pool)
        let upload = try await folder.begin()
        try await upload.write(([1, 2, 3] as [UInt8]).span.bytes)
        try await folder.keep(upload, as: "profiles/old.jpg")
        #expect(try await fixture.content(of: "profiles/old.jpg") == [1, 2, 3])
        try await fixture.run { try await $0.remove(["profiles/old.jpg"]) }
        #expect(try await fixture.content(of: "profiles/old.jpg") == nil)
    }

    @Test("A wrong secret is an error, and leaves no file")
    func wrongSecret() async throws {
        let server = try await SeaweedServer.ofThisProcess()
        let stranger = try S3Fixture(at: server.url, secretKey: "another")
        let error = await #expect(throws: S3Error.self) { try await stranger.keep([1], as: "profiles/wrong.jpg") }
        #expect(error?.status == 403)
        #expect(try await fixture().0.content(of: "profiles/wrong.jpg") == nil)
    }

    @Test("A signed URL reads a file without credentials until it expires")
    func signedURL() async throws {
        let (fixture, url) = try await fixture()
        try await fixture.keep([7, 8, 9], as: "profiles/signed.jpg")
        let bucket = fixture.client.bucket
        func get(_ lifetime: Duration, at moment: Timestamp) async throws -> HTTPCall.Reply {
            let text = bucket.signedURL(
                of: "profiles/signed.jpg", for: lifetime, reply: [("response-content-type", "image/jpeg")], at: moment)
            let port = UInt16(url.split(separator: ":").last!)!
            return try await HTTPCall.get(port: port, String(text.dropFirst(url.count)))
        }
        let reply = try await get(.seconds(60), at: .now)
        #expect(reply.status == 200)
        #expect(reply.body == [7, 8, 9])
        #expect(try await get(.seconds(1), at: .now - .seconds(60)).status == 403)
    }

    @Test(
        "A name that leaves the store's folders is refused",
        arguments: ["profiles/../x", "/a/b", "profiles", "a/.b"])
    func names(name: String) async throws {
        let (fixture, _) = try await fixture()
        await #expect(throws: InvalidFileName.self) { try await fixture.content(of: name) }
        await #expect(throws: InvalidFileName.self) { try await fixture.run { try await $0.remove([name]) } }
        await #expect(throws: InvalidFileName.self) { try await fixture.keep([1], as: name) }
    }
}

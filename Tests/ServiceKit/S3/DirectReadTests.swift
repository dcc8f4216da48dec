import Contract
import HTTP
import TestSupport
import Testing
import Wire

@testable import ServiceKit

@Suite("Direct reads from S3")
struct DirectReadTests {
    private static let disposition = "attachment; filename*=UTF-8''%ED%9A%8C%EC%9D%98%EB%A1%9D.pdf"

    private func get(_ direct: DirectURL, below url: String) async throws -> HTTPCall.Reply {
        let port = try #require(url.split(separator: ":").last.flatMap { UInt16($0) })
        return try await HTTPCall.get(port: port, String(direct.url.dropFirst(url.count)))
    }

    @Test("A direct URL reads a file without credentials, with the service's type and name for it, and expires")
    func reads() async throws {
        let url = try await SeaweedServer.ofThisProcess().url
        let fixture = try S3Fixture(at: url, direct: .seconds(60))
        try await fixture.keep([7, 8, 9], as: "profiles/direct.pdf")
        // Another instance has no copy and asks the bucket whether the file is there.
        let other = try S3Fixture(at: url, direct: .seconds(60))
        for each in [fixture, other] {
            let found = try await each.run {
                try await $0.directURL(
                    of: "profiles/direct.pdf", type: "application/pdf", disposition: Self.disposition)
            }
            let direct = try #require(found)
            #expect(direct.lifetime == .seconds(60))
            let reply = try await get(direct, below: url)
            #expect(reply.status == 200)
            #expect(reply.body == [7, 8, 9])
            #expect(reply.headers["content-type"] == "application/pdf")
            #expect(reply.headers["content-disposition"] == Self.disposition)
        }
        let reads = DirectReads(bucket: fixture.client.bucket, lifetime: .seconds(60))
        let old = reads.url(of: "profiles/direct.pdf", type: "a/b", disposition: "inline", at: .now - .seconds(61))
        #expect(try await get(old, below: url).status == 403)
        let changed = DirectURL(url: old.url.replacing("direct.pdf", with: "other.pdf"), lifetime: old.lifetime)
        #expect(try await get(changed, below: url).status == 403)
    }

    @Test("Without direct reads, for a file of the folder and for none, the service sends the bytes itself")
    func none() async throws {
        let url = try await SeaweedServer.ofThisProcess().url
        let (plain, direct) = (try S3Fixture(at: url), try S3Fixture(at: url, direct: .seconds(60)))
        try await plain.keep([1], as: "profiles/plain.jpg")
        let folder = try FolderFileStore(root: direct.folder.path, folders: ["profiles"], pool: direct.pool)
        let upload = try await folder.begin()
        try await upload.write(([1, 2, 3] as [UInt8]).span.bytes)
        try await folder.keep(upload, as: "profiles/moving.jpg")
        for (fixture, name) in [(plain, "plain"), (direct, "moving"), (direct, "never")] {
            let found = try await fixture.run {
                try await $0.directURL(of: "profiles/\(name).jpg", type: "image/jpeg", disposition: "inline")
            }
            #expect(found == nil)
        }
        #expect(try await folder.directURL(of: "profiles/moving.jpg", type: "", disposition: "") == nil)
    }
}

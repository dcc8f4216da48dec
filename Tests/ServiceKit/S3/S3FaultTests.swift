import EventLoop
import Foundation
import HTTP
import TestSupport
import Testing

@testable import ServiceKit

@Suite("Files in an S3 that fails")
struct S3FaultTests {
    private let name = "profiles/a.jpg"
    private let path = "/files/maru/profiles/a.jpg"

    private func withStandIn(_ body: (S3StandIn, S3Fixture) async throws -> Void) async throws {
        let server = try S3StandIn()
        try await body(server, S3Fixture(at: server.url))
        await server.stop()
    }

    @Test("A store that answers 503 is asked again, for uploads and for reads")
    func busy() async throws {
        try await withStandIn { server, fixture in
            server.change { $0.failures = [Status(503), Status(503)] }
            try await fixture.keep([1, 2, 3], as: name)
            #expect(server.now.objects[path] == [1, 2, 3])
            server.change { $0.failures = [Status(503)] }
            #expect(try await S3Fixture(at: server.url).content(of: name) == [1, 2, 3])
        }
    }

    @Test("A store that stays unavailable is an error, not a missing file")
    func away() async throws {
        try await withStandIn { server, fixture in
            server.change { $0.failures = Array(repeating: Status(503), count: 5) }
            let error = await #expect(throws: S3Error.self) { try await fixture.content(of: name) }
            #expect(error?.status == 503)
        }
    }

    @Test("Many readers of one file load it once")
    func shared() async throws {
        try await withStandIn { server, fixture in
            server.change { $0.objects[path] = S3Fixture.content(20 << 20) }
            let sizes = try await fixture.run { [name] store in
                try await withThrowingTaskGroup { group in
                    for _ in 0..<50 { group.addTask { try await store.open(name)?.size } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
            #expect(sizes == Array(repeating: 20 << 20, count: 50))
            #expect(server.now.calls == Array(repeating: "GET \(path)", count: 3))
        }
    }

    @Test("Many readers of a file that is missing ask for it once")
    func sharedMiss() async throws {
        try await withStandIn { server, fixture in
            // The others come while one tries again.
            server.change { $0.failures = Array(repeating: Status(503), count: 3) }
            let results = try await fixture.run { [name] store in
                try await withThrowingTaskGroup { group in
                    for _ in 0..<50 { group.addTask { try await store.open(name) == nil } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
            #expect(results == Array(repeating: true, count: 50))
            let calls = server.now.calls
            // A reader that comes after the others have their answer asks again.
            #expect(calls.count >= 4 && calls.count < 25)
            #expect(calls.allSatisfy { $0 == "GET \(path)" })
        }
    }

    @Test("Readers that wait for another one to load a file get its error at once, and the next one loads it")
    func sharedFailure() async throws {
        try await withStandIn { server, fixture in
            server.change { state in
                state.objects[path] = [1]
                // All attempts of one reader, and no more.
                state.failures = Array(repeating: Status(503), count: 5)
            }
            let results = try await fixture.run { [name] store in
                await withTaskGroup { group in
                    for _ in 0..<50 { group.addTask { (try? await store.open(name)) == nil } }
                    return await group.reduce(into: []) { $0.append($1) }
                }
            }
            #expect(results == Array(repeating: true, count: 50))
            #expect(try await fixture.content(of: name) == [1])
        }
    }

    @Test("A file that another instance removed is missing once its copy is old")
    func oldCopy() async throws {
        try await withStandIn { server, fixture in
            let reader = try S3Fixture(at: server.url)
            let forgetful = try S3Fixture(at: server.url, lifetime: .zero)
            try await fixture.keep([1, 2, 3], as: name)
            #expect(try await reader.content(of: name) == [1, 2, 3])
            #expect(try await forgetful.content(of: name) == [1, 2, 3])
            server.change { $0.objects = [:] }
            #expect(try await reader.content(of: name) == [1, 2, 3])
            #expect(try await forgetful.content(of: name) == nil)
        }
    }

    @Test("The copy of a file leaves the disk once it is old, even if the file is never read again")
    func unreadCopy() async throws {
        try await withStandIn { server, fixture in
            let forgetful = try S3Fixture(at: server.url, lifetime: .zero)
            for each in [fixture, forgetful] {
                try await each.keep([1, 2, 3], as: name)
                #expect(try copies(of: each).count == 1)
                try await each.run { try await $0.dropAbandonedUploads() }
            }
            #expect(try copies(of: fixture).count == 1)
            #expect(try copies(of: forgetful).isEmpty)
        }
    }

    private func copies(of fixture: S3Fixture) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path + "/copies")
    }

    @Test("A removal deletes several objects at a time")
    func removals() async throws {
        try await withStandIn { server, fixture in
            server.change { $0.deletionsTogether = 4 }
            try await fixture.run { store in try await store.remove((0..<24).map { "profiles/\($0).jpg" }) }
            // No call was given up and repeated.
            #expect(server.now.calls.count == 24)
        }
    }

    @Test("A file leaves the folder before its object is deleted, and a copy that comes meanwhile leaves it as well")
    func removalDuringCopy() async throws {
        try await withStandIn { server, fixture in
            let folder = try FolderFileStore(root: fixture.folder.path, folders: ["profiles"], pool: fixture.pool)
            try await folder.keep([1, 2, 3], as: name)
            let file = fixture.folder.path + "/" + name
            server.change {
                $0.beforeDeletion = {
                    let isThere = FileManager.default.fileExists(atPath: file)
                    _ = FileManager.default.createFile(atPath: isThere ? file + ".late" : file, contents: nil)
                }
            }
            try await fixture.run { [name] store in try await store.remove([name]) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path + "/profiles").isEmpty)
        }
    }

    @Test("Content that differs from the digest of its upload is refused and not kept")
    func damaged() async throws {
        try await withStandIn { server, fixture in
            try await fixture.keep([1, 2, 3], as: name)
            server.change { $0.objects[path] = [1, 2, 4] }
            let reader = try S3Fixture(at: server.url)
            let error = await #expect(throws: S3Error.self) { try await reader.content(of: name) }
            #expect(error?.code == "BadDigest")
            server.change { $0.objects[path] = [1, 2, 3] }
            #expect(try await reader.content(of: name) == [1, 2, 3])
        }
    }

    @Test("An object that changes between two pieces is refused")
    func changed() async throws {
        try await withStandIn { server, fixture in
            server.change { $0.objects[path] = S3Fixture.content(9 << 20) }
            server.change { $0.changes = true }
            let error = await #expect(throws: S3Error.self) { try await fixture.content(of: name) }
            #expect(error?.status == 412)
        }
    }

    @Test("A large upload is kept if only the reply to its completion was lost")
    func completion() async throws {
        try await keepLarge { $0.completion = Status(500) }
    }

    @Test("A completion that fails after its status 200 is asked for again")
    func lateFailure() async throws {
        try await keepLarge { $0.lateFailures = ["InternalError", "SlowDown"] }
    }

    /// Keeps a large file in a store with a fault, and expects it there.
    private func keepLarge(with fault: @Sendable (inout S3StandIn.State) -> Void) async throws {
        try await withStandIn { server, fixture in
            server.change(fault)
            let content = S3Fixture.content(9 << 20)
            try await fixture.keep(content, as: name)
            #expect(server.now.objects[path] == content)
            #expect(!server.now.calls.contains("DELETE \(path)"))
        }
    }

    @Test("A large upload that cannot be completed is given up")
    func noCompletion() async throws {
        try await withStandIn { server, fixture in
            server.change { $0.lateFailures = Array(repeating: "InternalError", count: 9) }
            let error = await #expect(throws: S3Error.self) {
                try await fixture.keep(S3Fixture.content(9 << 20), as: name)
            }
            #expect(error?.code == "InternalError" && error?.isPassing == true)
            #expect(server.now.calls.contains("DELETE \(path)"))
            #expect(server.now.objects[path] == nil)
        }
    }

    @Test("The parts of a large upload are dropped if its client goes away meanwhile")
    func abandoned() async throws {
        try await withStandIn { server, fixture in
            let (starts, start) = AsyncStream.makeStream(of: Void.self)
            let upload = Task { [name] in
                for await _ in starts { break }
                try await fixture.keep(S3Fixture.content(9 << 20), as: name)
            }
            server.change { $0.beforePart = { upload.cancel() } }
            start.yield()
            await #expect(throws: (any Error).self) { try await upload.value }
            #expect(server.now.calls.contains("DELETE \(path)"))
            #expect(server.now.objects[path] == nil)
        }
    }
}

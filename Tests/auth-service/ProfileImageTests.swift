import Contract
import Foundation
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service

@Suite("Profile images")
struct ProfileImageTests {
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1]

    /// The paths of all images in the store, unfinished uploads included.
    private func stored(_ fixture: AuthFixture) -> Set<String> {
        let all = FileManager.default.enumerator(atPath: fixture.service.files.path)?.allObjects as? [String] ?? []
        return Set(all.filter { $0.contains("/") }.map { "/static/" + $0 })
    }

    private func current(_ fixture: AuthFixture, _ user: AuthFixture.TestUser) async throws -> Set<String> {
        Set([try await fixture.me(user.access).json["profileImage"]?.string].compactMap(\.self))
    }

    @Test("Concurrent uploads leave only the current image in the store")
    func atOnce() async throws {
        try await AuthFixture.run(["picture_retention": "0s"]) { fixture async throws in
            let user = try await fixture.join()
            for _ in 1...3 {
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 1...8 { group.addTask { try await fixture.upload(Self.png, user.access).status } }
                    for try await status in group { #expect(status == 200) }
                }
                let last = try await current(fixture, user)
                #expect(last.count == 1)
                try await eventually("the other images to be deleted") { stored(fixture) == last }
            }
        }
    }

    @Test("A replaced image stays readable for `picture_retention`, 20 of an account at most")
    func retention() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            var paths: [String] = []
            for _ in 1...23 {
                let reply = try await fixture.upload(Self.png, user.access)
                paths.append(try reply.json["profileImage"]?.string ?? "")
            }
            let (kept, unexpired) = (Set(paths[2...]), Set(paths[3...]))
            try await eventually("the removal of the oldest images") { stored(fixture) == kept }
            let seen = try await fixture.service.call("GET", "/v1" + paths[2], token: user.access)
            #expect(seen.status == 200)
            _ = try await fixture.service.database.run(
                sql: """
                    update auth.unused_portrait set due_at = due_at - 180::bigint * 86400000 where path = '\(paths[2])';
                    update auth.unused_portrait set due_at = due_at - 179::bigint * 86400000 where path = '\(paths[3])'
                    """)
            try await fixture.withInstance(["files_folder": fixture.service.files.path]) { _ in
                try await eventually("the removal of the expired image") { stored(fixture) == unexpired }
            }
        }
    }

    @Test("A18: other services read portraits, current and replaced, in pieces, and no other file of the store")
    func pieces() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            let bytes = Self.png + [UInt8](repeating: 7, count: ExportFileRequest.pieceSize)
            let first = try await fixture.upload(bytes, user.access)
            _ = try await fixture.upload(Self.png, user.access)
            let path = try #require(try first.json["profileImage"]?.string)
            func piece(_ path: String, from offset: Int = 0) async throws -> HTTPCall.Reply {
                let encoded = PercentEncoding.strict.encode(path)
                return try await fixture.service.internalCall(
                    "GET", "/internal/pictures/piece?path=\(encoded)&offset=\(offset)")
            }
            var read: [UInt8] = []
            while read.count < bytes.count {
                let json = try await piece(path, from: read.count).json
                let part = try #require(json["bytes"]?.string.flatMap { Base64.decode($0.utf8.span, .standard) })
                #expect(json["size"]?.int == bytes.count && !part.isEmpty)
                read += part
            }
            #expect(read == bytes)
            let export = fixture.service.files.path + "/exports/secret.zip"
            #expect(FileManager.default.createFile(atPath: export, contents: Data("secret".utf8)))
            for other in [
                "/static/exports/secret.zip", "/static/profiles/../exports/secret.zip", "exports/secret.zip",
                "/static/profiles/none.png", "/static/profiles/",
            ] {
                #expect(try await piece(other).status == 404, "\(other)")
            }
        }
    }

    @Test("An image stays if its change was committed but the reply was lost")
    func unknownOutcome() async throws {
        // With synchronous_commit=on a commit waits for a standby that does not exist.
        let cluster = try await PostgresCluster.start([
            "synchronous_standby_names=nobody", "synchronous_commit=local",
        ])
        try await AuthFixture.run(database: try await cluster.makeDatabase()) { fixture async throws in
            let user = try await fixture.join()
            let database = fixture.service.database
            _ = try await database.run(
                sql: """
                    create function public.wait() returns trigger language plpgsql as $$
                    begin perform set_config('synchronous_commit', 'on', true); return new; end $$;
                    create trigger slow before update on auth.account for each row execute function public.wait()
                    """)
            async let reply = fixture.upload(Self.png, user.access)
            // The connection is ended as soon as the commit waits, before the statement's deadline.
            try await eventually("a commit that waits") {
                try await database.run(
                    sql: "select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'") == "t\n"
            }
            #expect(try await reply.errorCode == "E99")
            let kept = try await current(fixture, user)
            #expect(kept.count == 1)
            #expect(stored(fixture) == kept)
        }
        await cluster.stop()
    }

    @Test("An image left by a crash is deleted later; an image in use stays")
    func abandoned() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            _ = try await fixture.upload(Self.png, user.access)
            let kept = stored(fixture)
            let path = fixture.service.files.path + "/profiles/abandoned.png"
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
            _ = try await fixture.service.database.run(
                sql: "insert into auth.unused_portrait values ('/static/profiles/abandoned.png', 0)")
            // The sweep runs at the start of an instance.
            try await fixture.withInstance(["files_folder": fixture.service.files.path]) { _ in
                // The row in unused_portrait is deleted last.
                try await eventually("the abandoned image to be deleted") {
                    try await fixture.service.database.run(sql: "select count(*) from auth.unused_portrait") == "0\n"
                        && stored(fixture) == kept
                }
            }
        }
    }
}

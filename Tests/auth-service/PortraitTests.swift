import Foundation
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service

@Suite("Pictures of people")
struct PortraitTests {
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1]

    /// The paths of all pictures in the store, uploads included.
    private func stored(_ house: AuthHouse) -> Set<String> {
        let all = FileManager.default.enumerator(atPath: house.service.files.path)?.allObjects as? [String] ?? []
        return Set(all.filter { $0.contains("/") }.map { "/static/" + $0 })
    }

    private func current(_ house: AuthHouse, _ guest: AuthHouse.Guest) async throws -> Set<String> {
        Set([try await house.me(guest.access).json["profileImage"]?.string].compactMap(\.self))
    }

    @Test("Of pictures that are put at once the last one stays in the store, and no other")
    func atOnce() async throws {
        try await AuthHouse.run { house async throws in
            let guest = try await house.join()
            for _ in 1...3 {
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 1...8 { group.addTask { try await house.upload(Self.png, guest.access).status } }
                    for try await status in group { #expect(status == 200) }
                }
                let last = try await current(house, guest)
                #expect(last.count == 1)
                try await eventually("the others to go") { stored(house) == last }
            }
        }
    }

    @Test("A picture stays when its change was committed and nobody was told so")
    func unknownOutcome() async throws {
        // A commit that asks for it waits for a standby which does not exist.
        let cluster = try await PostgresCluster.start([
            "synchronous_standby_names=nobody", "synchronous_commit=local",
        ])
        try await AuthHouse.run(database: try await cluster.makeDatabase()) { house async throws in
            let guest = try await house.join()
            let database = house.service.database
            _ = try await database.run(
                sql: """
                    create function public.wait() returns trigger language plpgsql as $$
                    begin perform set_config('synchronous_commit', 'on', true); return new; end $$;
                    create trigger slow before update on auth.account for each row execute function public.wait()
                    """)
            async let reply = house.upload(Self.png, guest.access)
            // Ended in the moment in which it is seen: the statement has a deadline.
            try await eventually("a commit on its way") {
                try await database.run(
                    sql: "select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'") == "t\n"
            }
            #expect(try await reply.errorCode == "E99")
            let kept = try await current(house, guest)
            #expect(kept.count == 1)
            #expect(stored(house) == kept)
        }
        await cluster.stop()
    }

    @Test("A picture whose change nobody ended, because the service died, goes in time; one that somebody has stays")
    func abandoned() async throws {
        try await AuthHouse.run { house async throws in
            let guest = try await house.join()
            _ = try await house.upload(Self.png, guest.access)
            let kept = stored(house)
            let path = house.service.files.path + "/profiles/abandoned.png"
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
            _ = try await house.service.database.run(
                sql: "insert into auth.unused_portrait values ('/static/profiles/abandoned.png', 0)")
            // A start looks at once.
            try await house.withInstance(["files_folder": house.service.files.path]) { _ in
                // The note of it goes last.
                try await eventually("the abandoned one to go") {
                    try await house.service.database.run(sql: "select count(*) from auth.unused_portrait") == "0\n"
                        && stored(house) == kept
                }
            }
        }
    }
}

import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("A workspace of 10,000 members and 1,000 channels", .serialized)
struct LargeWorkspaceTests {
    /// How many calls to peers may have been sent twice: each that had no answer for a second and a half.
    private static func repetitions(since moment: ContinuousClock.Instant) -> Int {
        Int((ContinuousClock.now - moment) / .milliseconds(1500))
    }

    @Test("Its detail is complete and fetches profiles in batches of a thousand, then from the cache")
    func detail() async throws {
        try await WorkspaceHarness.use { harness in
            let fixture = try await Fixture.make(1, in: harness)[0]
            _ = try await harness.sql(fixture.enlarging)
            let began = ContinuousClock.now
            let first = try await harness.call("GET", "/v1/workspaces/\(fixture.workspace)")
            #expect(Set(try harness.texts(first, "user_id", in: "workspaceMembers")).count == 10_000)
            #expect(Set(try harness.texts(first, "channel_id", in: "channels")).count == 1000)
            let calls = harness.peers.now.profileCalls
            #expect((10...10 + Self.repetitions(since: began)).contains(calls))
            let again = try await harness.call("GET", "/v1/workspaces/\(fixture.workspace)")
            #expect(again.body == first.body)
            #expect(harness.peers.now.profileCalls == calls)
        }
    }

    @Test("Twenty concurrent first readers fetch each profile once in total")
    func firstReaders() async throws {
        try await WorkspaceHarness.use { harness in
            let fixture = try await Fixture.make(1, in: harness)[0]
            _ = try await harness.sql(
                """
                begin;
                insert into member select \(fixture.workspace), u, u from generate_series(1001, 3495) as made (u);
                insert into channel_member select \(fixture.channel) + 1, u, \(fixture.workspace), u
                    from generate_series(1001, 3495) as made (u);
                commit
                """)
            let began = ContinuousClock.now
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        let reply = try await harness.call("GET", "/v1/workspaces/\(fixture.workspace)/members")
                        return try harness.texts(reply, "user_id").count
                    }
                }
                for try await count in group { #expect(count == 2500) }
            }
            #expect((3...3 + Self.repetitions(since: began)).contains(harness.peers.now.profileCalls))
        }
    }

    @Test("Many concurrent list and detail calls use a bounded amount of memory")
    func memory() async throws {
        try await WorkspaceHarness.use { harness in
            let fixture = try await Fixture.make(1, in: harness)[0]
            _ = try await harness.sql(fixture.enlarging)
            let service = try await BuiltService(
                "workspace-service", database: harness.database, redis: harness.redis, auth: harness.peers.url,
                in: harness.files, ["database_connections": "6"])
            let base = "/v1/workspaces/\(fixture.workspace)"
            let empty = service.process.anonymousBytes
            let token = harness.peers.tokens.token(user: 1, key: "native")
            // Fills the profile cache, so that only the replies are measured.
            _ = try await HTTPCall.get(
                port: service.publicPort, base, headers: [("SesacKey", "native"), ("Authorization", token)])
            @Sendable func burst() async throws -> Int {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for turn in 0..<12 {
                        let path = base + ["", "/channels", "/my-channels", "/members"][turn % 4]
                        group.addTask {
                            // A busy machine sheds calls; they are repeated.
                            var reply: HTTPCall.Reply
                            let limit = ContinuousClock.now + Duration.seconds(60).patiently
                            repeat {
                                reply = try await HTTPCall.get(
                                    port: service.publicPort, path,
                                    headers: [("SesacKey", "native"), ("Authorization", token)])
                            } while reply.status == 503 && ContinuousClock.now < limit
                            #expect(reply.status == 200)
                        }
                    }
                    try await group.waitForAll()
                }
                return service.process.anonymousBytes
            }
            var sizes: [Int] = []
            for _ in 0..<6 { sizes.append(try await burst()) }
            // Six concurrent replies of about 1 MB, each with views of four times that size, and the cache.
            if !Sanitizer.isPresent {
                #expect(sizes.allSatisfy { $0 - empty < 120 << 20 }, "\(empty) \(sizes)")
                #expect(sizes[5] - sizes[2] < 16 << 20, "\(sizes)")
            }
            await service.stop()
        }
    }

    @Test("A member can leave it, and one call deletes it with its 200,000 channel memberships")
    func ending() async throws {
        try await WorkspaceHarness.use { harness in
            let fixture = try await Fixture.make(1, in: harness)[0]
            _ = try await harness.sql(fixture.enlarging)
            _ = try await harness.sql(
                """
                insert into channel_member select c.id, m.user_id, m.workspace, 5
                    from (select id from channel where workspace = \(fixture.workspace) order by id desc limit 20) c,
                        member m
                    where m.workspace = \(fixture.workspace)
                on conflict do nothing
                """)
            let left = try await harness.call("DELETE", "/v1/workspaces/\(fixture.workspace)/exit", user: 1001)
            #expect(left.status == 200)
            let start = ContinuousClock.now
            let deleted = try await harness.call("DELETE", "/v1/workspaces/\(fixture.workspace)")
            #expect(deleted.status == 200, "\(deleted.text) after \(ContinuousClock.now - start)")
            let memberships = try await harness.sql(
                "select count(*) from channel_member where workspace = \(fixture.workspace)")
            #expect(memberships == "0")
        }
    }
}

import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Races", .serialized)
struct RaceTests {
    private static let rounds = 6
    /// Enough connections for all calls of a race to reach the lock.
    private static let settings = ["database_connections": "6"]
    /// An advisory lock that signals that the workspace's row is locked.
    private static let isHeld = 4711

    /// Makes concurrent calls and returns their error codes, `ok` for success.
    private func race(_ calls: [@Sendable () async throws -> HTTPCall.Reply]) async throws -> [String] {
        try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for (index, call) in calls.enumerated() {
                group.addTask {
                    let reply = try await call()
                    return (index, reply.status < 300 ? "ok" : reply.errorCode)
                }
            }
            var codes = Array(repeating: "", count: calls.count)
            for try await (index, code) in group { codes[index] = code }
            return codes
        }
    }

    /// Makes concurrent calls wait for the workspace's lock and then releases it, so that they continue together.
    private func together(
        on workspace: Int64, _ harness: WorkspaceHarness, _ calls: [@Sendable () async throws -> HTTPCall.Reply]
    ) async throws -> [String] {
        async let held = harness.sql(
            """
            begin;
            select from workspace where id = \(workspace) for update;
            select pg_advisory_xact_lock(\(Self.isHeld));
            do $$ begin
                for turn in 1..4000 loop
                    perform pg_stat_clear_snapshot();
                    exit when (select count(*) from pg_stat_activity where wait_event_type = 'Lock'
                        and datname = current_database()) >= \(calls.count);
                    perform pg_sleep(0.005);
                end loop;
            end $$;
            commit
            """)
        try await eventually("the lock") {
            try await harness.database.run(
                sql: """
                    select count(*) from pg_locks where locktype = 'advisory' and objid = \(Self.isHeld)
                        and database = (select oid from pg_database where datname = current_database())
                    """) != "0\n"
        }
        let codes = try await race(calls)
        _ = try await held
        return codes
    }

    /// Checks the invariants of the tables.
    private func expectSound(_ harness: WorkspaceHarness) async throws {
        let broken = try await harness.sql(
            """
            select 'owner is no member', w.id from workspace w where owner is not null
                and not exists (select from member m where m.workspace = w.id and m.user_id = w.owner)
            union all
            select 'no default channel of the owner''s', w.id from workspace w where not exists (
                select from channel c where c.workspace = w.id and is_default and c.owner is not distinct from w.owner)
            union all
            select 'not in the default channel', m.user_id from member m join channel c using (workspace)
                where is_default and not exists (
                    select from channel_member cm where cm.channel = c.id and cm.user_id = m.user_id)
            union all
            select 'channel owner is no member', c.id from channel c where owner is not null
                and not exists (select from channel_member cm where cm.channel = c.id and cm.user_id = c.owner)
            """)
        #expect(broken == "")
    }

    @Test("Of two concurrent transfers one succeeds, and one user owns the workspace and its default channel")
    func twoHandOvers() async throws {
        try await WorkspaceHarness.use(instances: 2, Self.settings) { harness in
            for round in 0..<Self.rounds {
                let id = try await harness.makeWorkspace("w\(round)", owner: Int64(100 + round))
                let owner = Int64(100 + round)
                for user in [2, 3] as [Int64] { try await harness.invite(user, to: id, by: owner) }
                let codes = try await together(
                    on: id, harness,
                    [2, 3].map { newOwner in
                        {
                            try await harness.call(
                                "PUT", "/v1/workspaces/\(id)/transfer/ownership", user: owner,
                                json: #"{"owner_id":"\#(newOwner)"}"#, on: newOwner - 2)
                        }
                    })
                #expect(codes.sorted() == ["E14", "ok"])
                let newOwner = codes[0] == "ok" ? "2" : "3"
                let owners = try await harness.sql(
                    "select w.owner, c.owner from workspace w join channel c on c.workspace = w.id where w.id = \(id)")
                #expect(owners == "\(newOwner)|\(newOwner)")
            }
            try await expectSound(harness)
        }
    }

    /// Lets member 2 leave while the owner transfers the workspace, or the channel at `path` in it, to them. The first
    /// call succeeds and makes the other one fail.
    private func expectOneWins(
        _ path: String, of workspace: Int64, _ owner: Int64, _ harness: WorkspaceHarness
    ) async throws {
        let base = "/v1/workspaces/\(workspace)"
        let codes = try await together(
            on: workspace, harness,
            [
                {
                    try await harness.call(
                        "PUT", base + path + "/transfer/ownership", user: owner, json: #"{"owner_id":"2"}"#)
                }, { try await harness.call("DELETE", base + "/exit", user: 2, on: 1) },
            ])
        #expect(codes == ["ok", "E15"] || codes == ["E13", "ok"], "\(codes)")
    }

    @Test("A new owner that leaves during the transfer either stays as owner or is gone")
    func leaveAgainstHandOver() async throws {
        try await WorkspaceHarness.use(instances: 2, Self.settings) { harness in
            for round in 0..<Self.rounds {
                let id = try await harness.makeWorkspace("w\(round)", owner: Int64(100 + round))
                try await harness.invite(2, to: id, by: Int64(100 + round))
                try await expectOneWins("", of: id, Int64(100 + round), harness)
            }
            try await expectSound(harness)
        }
    }

    @Test("A new owner of a channel that leaves the workspace during the transfer does not own the channel afterwards")
    func leaveAgainstChannelHandOver() async throws {
        try await WorkspaceHarness.use(instances: 2, Self.settings) { harness in
            for round in 0..<Self.rounds {
                let id = try await harness.makeWorkspace("w\(round)", owner: Int64(100 + round))
                let channel = try await harness.makeChannel("general", in: id, owner: Int64(100 + round))
                try await harness.invite(2, to: id, by: Int64(100 + round))
                try await harness.join(2, channel)
                try await expectOneWins("/channels/\(channel)", of: id, Int64(100 + round), harness)
            }
            try await expectSound(harness)
        }
    }

    @Test("A workspace that is being deleted gets no new members and no new channels")
    func inviteAgainstDelete() async throws {
        try await WorkspaceHarness.use(instances: 2, Self.settings) { harness in
            for round in 0..<Self.rounds {
                let id = try await harness.makeWorkspace("w\(round)", owner: Int64(100 + round))
                let codes = try await together(
                    on: id, harness,
                    [
                        { try await harness.call("DELETE", "/v1/workspaces/\(id)", user: Int64(100 + round)) },
                        {
                            try await harness.call(
                                "POST", "/v1/workspaces/\(id)/members", user: Int64(100 + round),
                                json: #"{"email":"2@example.com"}"#, on: 1)
                        },
                        {
                            try await harness.call(
                                "POST", "/v1/workspaces/\(id)/channels", user: Int64(100 + round),
                                json: #"{"name":"general"}"#, on: 1)
                        },
                    ])
                #expect(codes[0] == "ok")
                #expect(codes[1...].allSatisfy { $0 == "ok" || $0 == "E13" }, "\(codes)")
                let left = try await harness.sql(
                    """
                    select (select count(*) from member where workspace = \(id)),
                        (select count(*) from channel where workspace = \(id))
                    """)
                #expect(left == "0|0")
                // Facts about earlier members precede the fact of the deletion.
                let facts = try await harness.sql(
                    "select string_agg(type, ',' order by id) from outbox where body like '{\"workspace_id\":\"\(id)\"%'"
                )
                #expect(facts.hasSuffix("workspace.deleted"))
            }
        }
    }

    @Test("Of many concurrent creations with one name one succeeds; the others keep their coins")
    func names() async throws {
        try await WorkspaceHarness.use(instances: 2, Self.settings) { harness in
            for round in 0..<Self.rounds {
                let spellings = ["Café \(round)", "café \(round)", "CAFE\u{301} \(round)", "cafe\u{301} \(round)"]
                let made = try await race(
                    spellings.enumerated().map { place, name in
                        {
                            try await harness.call(
                                "POST", "/v1/workspaces", user: Int64(place + 1 + round * 4),
                                form: Form(["name": name], image: .png), on: place % 2)
                        }
                    })
                #expect(made.sorted() == ["E12", "E12", "E12", "ok"])
                let balances = (1...4).map { harness.peers.now.balance(Int64($0 + round * 4)) }
                #expect(balances.sorted() == [90, 100, 100, 100])
            }
            let id = try await harness.makeWorkspace(owner: 1000)
            for round in 0..<Self.rounds {
                let spellings = ["É\(round)", "é\(round)", "E\u{301}\(round)", "e\u{301}\(round)"]
                let made = try await race(
                    spellings.enumerated().map { place, name in
                        {
                            try await harness.call(
                                "POST", "/v1/workspaces/\(id)/channels", user: 1000, json: #"{"name":"\#(name)"}"#,
                                on: place % 2)
                        }
                    })
                #expect(made.sorted() == ["E12", "E12", "E12", "ok"])
            }
            try await expectSound(harness)
        }
    }

    @Test("Many concurrent invitations and joins of one user add one member and publish one fact")
    func oneMember() async throws {
        try await WorkspaceHarness.use(instances: 2, Self.settings) { harness in
            let id = try await harness.makeWorkspace()
            let channel = try await harness.makeChannel("general", in: id)
            let invited = try await race(
                (0..<4).map { place in
                    {
                        try await harness.call(
                            "POST", "/v1/workspaces/\(id)/members", json: #"{"email":"2@example.com"}"#, on: place % 2)
                    }
                })
            #expect(invited.sorted() == ["E12", "E12", "E12", "ok"])
            let joined = try await race(
                (0..<4).map { _ in
                    { try await harness.ask("POST", "/internal/channels/\(channel)/join", json: #"{"user_id":"2"}"#) }
                })
            #expect(joined == ["ok", "ok", "ok", "ok"])
            let facts = try await harness.sql(
                """
                select type, count(*) from outbox where body like '%"user_id":"2"%' group by type order by type
                """)
            #expect(facts == "channel.member.added|1\nworkspace.member.added|1")
            try await expectSound(harness)
        }
    }
}

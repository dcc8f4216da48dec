import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Races", .serialized)
struct RaceTests {
    private static let rounds = 6
    /// So that all calls of a race reach the lock.
    private static let settings = ["database_connections": "6"]
    /// The advisory lock by which it shows that a workspace's row is held.
    private static let isHeld = 4711

    /// Makes calls at the same moment, each on an instance of its own, and returns their codes, `ok` for success.
    private func race(_ calls: [@Sendable () async throws -> HTTPCall.Reply]) async throws -> [String] {
        try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for (place, call) in calls.enumerated() {
                group.addTask {
                    let reply = try await call()
                    return (place, reply.status < 300 ? "ok" : reply.errorCode)
                }
            }
            var codes = Array(repeating: "", count: calls.count)
            for try await (place, code) in group { codes[place] = code }
            return codes
        }
    }

    /// Lets calls that change a workspace queue up behind its lock, so that they go on at one moment.
    private func together(
        on workspace: Int64, _ house: WorkspaceHouse, _ calls: [@Sendable () async throws -> HTTPCall.Reply]
    ) async throws -> [String] {
        async let held = house.sql(
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
            try await house.database.run(
                sql: """
                    select count(*) from pg_locks where locktype = 'advisory' and objid = \(Self.isHeld)
                        and database = (select oid from pg_database where datname = current_database())
                    """) != "0\n"
        }
        let codes = try await race(calls)
        _ = try await held
        return codes
    }

    /// What must hold whatever has happened.
    private func expectSound(_ house: WorkspaceHouse) async throws {
        let broken = try await house.sql(
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

    @Test("Of two who hand a workspace over at once one succeeds, and one person owns it and its default channel")
    func twoHandOvers() async throws {
        try await WorkspaceHouse.use(instances: 2, Self.settings) { house in
            for round in 0..<Self.rounds {
                let id = try await house.makeWorkspace("w\(round)", owner: Int64(100 + round))
                let owner = Int64(100 + round)
                for user in [2, 3] as [Int64] { try await house.invite(user, to: id, by: owner) }
                let codes = try await together(
                    on: id, house,
                    [2, 3].map { heir in
                        {
                            try await house.call(
                                "PUT", "/v1/workspaces/\(id)/transfer/ownership", user: owner,
                                json: #"{"owner_id":"\#(heir)"}"#, on: heir - 2)
                        }
                    })
                #expect(codes.sorted() == ["E14", "ok"])
                let heir = codes[0] == "ok" ? "2" : "3"
                let owners = try await house.sql(
                    "select w.owner, c.owner from workspace w join channel c on c.workspace = w.id where w.id = \(id)")
                #expect(owners == "\(heir)|\(heir)")
            }
            try await expectSound(house)
        }
    }

    /// Lets member 2 leave while the owner hands the workspace, or what lies at `place` in it, over to them: what comes first
    /// happens, and stands in the way of the other.
    private func expectOneWins(
        _ place: String, of workspace: Int64, _ owner: Int64, _ house: WorkspaceHouse
    ) async throws {
        let base = "/v1/workspaces/\(workspace)"
        let codes = try await together(
            on: workspace, house,
            [
                {
                    try await house.call(
                        "PUT", base + place + "/transfer/ownership", user: owner, json: #"{"owner_id":"2"}"#)
                }, { try await house.call("DELETE", base + "/exit", user: 2, on: 1) },
            ])
        #expect(codes == ["ok", "E15"] || codes == ["E13", "ok"], "\(codes)")
    }

    @Test("An heir who leaves while the workspace is handed over either stays its owner or gets none of it")
    func leaveAgainstHandOver() async throws {
        try await WorkspaceHouse.use(instances: 2, Self.settings) { house in
            for round in 0..<Self.rounds {
                let id = try await house.makeWorkspace("w\(round)", owner: Int64(100 + round))
                try await house.invite(2, to: id, by: Int64(100 + round))
                try await expectOneWins("", of: id, Int64(100 + round), house)
            }
            try await expectSound(house)
        }
    }

    @Test("A channel's heir who leaves the workspace while the channel is handed over does not own it afterwards")
    func leaveAgainstChannelHandOver() async throws {
        try await WorkspaceHouse.use(instances: 2, Self.settings) { house in
            for round in 0..<Self.rounds {
                let id = try await house.makeWorkspace("w\(round)", owner: Int64(100 + round))
                let channel = try await house.makeChannel("general", in: id, owner: Int64(100 + round))
                try await house.invite(2, to: id, by: Int64(100 + round))
                try await house.join(2, channel)
                try await expectOneWins("/channels/\(channel)", of: id, Int64(100 + round), house)
            }
            try await expectSound(house)
        }
    }

    @Test("Nobody is invited into a workspace that is being deleted, and no channel is made in it")
    func inviteAgainstDelete() async throws {
        try await WorkspaceHouse.use(instances: 2, Self.settings) { house in
            for round in 0..<Self.rounds {
                let id = try await house.makeWorkspace("w\(round)", owner: Int64(100 + round))
                let codes = try await together(
                    on: id, house,
                    [
                        { try await house.call("DELETE", "/v1/workspaces/\(id)", user: Int64(100 + round)) },
                        {
                            try await house.call(
                                "POST", "/v1/workspaces/\(id)/members", user: Int64(100 + round),
                                json: #"{"email":"2@example.com"}"#, on: 1)
                        },
                        {
                            try await house.call(
                                "POST", "/v1/workspaces/\(id)/channels", user: Int64(100 + round),
                                json: #"{"name":"general"}"#, on: 1)
                        },
                    ])
                #expect(codes[0] == "ok")
                #expect(codes[1...].allSatisfy { $0 == "ok" || $0 == "E13" }, "\(codes)")
                let left = try await house.sql(
                    """
                    select (select count(*) from member where workspace = \(id)),
                        (select count(*) from channel where workspace = \(id))
                    """)
                #expect(left == "0|0")
                // Whoever was let in before is told before the end, whatever is told after it.
                let told = try await house.sql(
                    "select string_agg(type, ',' order by id) from outbox where body like '{\"workspace_id\":\"\(id)\"%'"
                )
                #expect(told.hasSuffix("workspace.deleted"))
            }
        }
    }

    @Test("Of many who take one name at once one gets it, for workspaces and for channels; the others keep their coins")
    func names() async throws {
        try await WorkspaceHouse.use(instances: 2, Self.settings) { house in
            for round in 0..<Self.rounds {
                let spellings = ["Café \(round)", "café \(round)", "CAFE\u{301} \(round)", "cafe\u{301} \(round)"]
                let made = try await race(
                    spellings.enumerated().map { place, name in
                        {
                            try await house.call(
                                "POST", "/v1/workspaces", user: Int64(place + 1 + round * 4),
                                form: Form(["name": name], image: .png), on: place % 2)
                        }
                    })
                #expect(made.sorted() == ["E12", "E12", "E12", "ok"])
                let balances = (1...4).map { house.peers.now.balance(Int64($0 + round * 4)) }
                #expect(balances.sorted() == [90, 100, 100, 100])
            }
            let id = try await house.makeWorkspace(owner: 1000)
            for round in 0..<Self.rounds {
                let spellings = ["É\(round)", "é\(round)", "E\u{301}\(round)", "e\u{301}\(round)"]
                let made = try await race(
                    spellings.enumerated().map { place, name in
                        {
                            try await house.call(
                                "POST", "/v1/workspaces/\(id)/channels", user: 1000, json: #"{"name":"\#(name)"}"#,
                                on: place % 2)
                        }
                    })
                #expect(made.sorted() == ["E12", "E12", "E12", "ok"])
            }
            try await expectSound(house)
        }
    }

    @Test("Of many invitations and joins of one person at once one is new, and is told once")
    func oneMember() async throws {
        try await WorkspaceHouse.use(instances: 2, Self.settings) { house in
            let id = try await house.makeWorkspace()
            let channel = try await house.makeChannel("general", in: id)
            let invited = try await race(
                (0..<4).map { place in
                    {
                        try await house.call(
                            "POST", "/v1/workspaces/\(id)/members", json: #"{"email":"2@example.com"}"#, on: place % 2)
                    }
                })
            #expect(invited.sorted() == ["E12", "E12", "E12", "ok"])
            let joined = try await race(
                (0..<4).map { _ in
                    { try await house.ask("POST", "/internal/channels/\(channel)/join", json: #"{"user_id":"2"}"#) }
                })
            #expect(joined == ["ok", "ok", "ok", "ok"])
            let told = try await house.sql(
                """
                select type, count(*) from outbox where body like '%"user_id":"2"%' group by type order by type
                """)
            #expect(told == "channel.member.added|1\nworkspace.member.added|1")
            try await expectSound(house)
        }
    }
}

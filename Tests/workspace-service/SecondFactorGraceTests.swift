import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Graces of required second factors", .serialized)
struct SecondFactorGraceTests {
    @Test("A20: a member that leaves and comes back gets no new grace, until the workspace lifts the rule")
    func comingBack() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            let path = "/v1/workspaces/\(id)"
            try await harness.invite(2, to: id)
            // Members have three days from their joining on, and this one joined four days ago.
            _ = try await harness.sql(
                """
                insert into second_factor values (1, true, 1);
                update workspace set second_factor_from = 1, second_factor_grace = 259200000 where id = \(id);
                update member set joined_at = joined_at - 345600000, second_factor_due = 1 where user_id = 2
                """)
            func untilLockedOut() async throws {
                try await eventually(within: .seconds(30), "the end of the grace") {
                    try await harness.call("GET", path, user: 2).errorCode == "E08"
                }
            }
            try await untilLockedOut()
            let dues = "select second_factor_due < joined_at from member where user_id = 2"
            for _ in 1...2 {
                #expect(try await harness.call("DELETE", path + "/exit", user: 2).status == 200)
                let kept = "select count(*) from second_factor_grace where user_id = 2 and workspace = \(id)"
                #expect(try await harness.sql(kept) == "1")
                try await harness.invite(2, to: id)
                #expect(["t", ""].contains(try await harness.sql(dues)))
                try await untilLockedOut()
            }
            // A member that comes for the first time has the whole grace.
            try await harness.invite(3, to: id)
            let due = try await harness.sql("select second_factor_due - joined_at from member where user_id = 3")
            #expect(due == "259200000")

            let lifted = try await harness.call(
                "PUT", path + "/settings", json: #"{"requiresSecondFactor":false}"#)
            #expect(lifted.status == 200, "\(lifted.text)")
            #expect(try await harness.call("GET", path, user: 2).status == 200)
            #expect(try await harness.sql("select count(*) from second_factor_grace") == "0")
        }
    }

    @Test(
        "A20: a member that comes back after the end of their grace is locked out before anybody else is told of them")
    func comingBackLate() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            let path = "/v1/workspaces/\(id)"
            try await harness.invite(2, to: id)
            _ = try await harness.sql(
                """
                update workspace set second_factor_from = 1, second_factor_grace = 0 where id = \(id);
                insert into second_factor values (1, true, 1);
                update member set locked_out_at = 1 where user_id = 2
                """)
            #expect(try await harness.call("DELETE", path + "/exit", user: 2).status == 200)
            let made = try await harness.call("POST", path + "/invitations", json: "{}")
            let token = try #require(try made.json["token"]?.string)
            let accepted = try await harness.call(
                "POST", "/v1/workspaces/invitations/accept", user: 2, json: #"{"token":"\#(token)"}"#)
            #expect(accepted.status == 200, "\(accepted.text)")
            #expect(try await harness.call("GET", path, user: 2).errorCode == "E08")
            // The rule is applied again within seconds, and leaves them locked out.
            let state = "select locked_out_at = joined_at and coalesce(second_factor_due < joined_at, true) from member"
            #expect(try await harness.sql(state + " where user_id = 2") == "t")
            // The fact of the first addition is the only one, until the member is let in.
            let additions = """
                select count(*) from outbox where type = 'workspace.member.added' and body like '%"user_id":"2"%'
                """
            #expect(try await harness.sql(additions) == "1")
            let lifted = try await harness.call(
                "PUT", path + "/settings", json: #"{"requiresSecondFactor":false}"#)
            #expect(lifted.status == 200, "\(lifted.text)")
            #expect(try await harness.call("GET", path, user: 2).status == 200)
            #expect(try await harness.sql(additions) == "2")
        }
    }

    @Test("A20: an owner without a second factor does not lock themselves out by a shorter grace")
    func shorterGrace() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            func set(_ json: String) async throws -> HTTPCall.Reply {
                try await harness.call("PUT", "/v1/workspaces/\(id)/settings", json: json)
            }
            harness.peers.change { $0.withSecondFactor = [1] }
            #expect(try await set(#"{"requiresSecondFactor":true}"#).status == 200)
            harness.peers.change { $0.withSecondFactor = [] }
            #expect(try await set(#"{"secondFactorGraceDays":0}"#).errorCode == "E15")
            #expect(try await harness.call("GET", "/v1/workspaces/\(id)").status == 200)
            // Without the rule the number of days means nothing.
            #expect(try await set(#"{"requiresSecondFactor":false,"secondFactorGraceDays":0}"#).status == 200)
            #expect(try await set(#"{"secondFactorGraceDays":0}"#).status == 200)
        }
    }

    @Test("A20: a locked-out member that owns a channel leaves, and the channel passes to the owner of the workspace")
    func leavingWithChannel() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            let path = "/v1/workspaces/\(id)"
            try await harness.invite(2, to: id)
            let channel = try await harness.makeChannel("general", in: id, owner: 2)
            let early = try await harness.call("DELETE", path + "/exit", user: 2)
            #expect(early.errorCode == "E15", "\(early.text)")
            _ = try await harness.sql("update member set locked_out_at = 1 where user_id = 2")
            let left = try await harness.call("DELETE", path + "/exit", user: 2)
            #expect(left.status == 200, "\(left.text)")
            let shown = try await harness.call("GET", path + "/channels/\(channel)")
            #expect(try shown.json["owner_id"]?.string == "1")
            #expect(try harness.texts(shown, "user_id", in: "channelMembers") == ["1"])
            let facts = FactStream(redis: harness.redis)
            let changes = try await facts.bodies(of: "channel.changed", count: 1)
            #expect(changes.map { $0["channel_id"]?.string } == ["\(channel)"])
        }
    }

    @Test("A20: a workspace that is held by a long change delays no other workspace")
    func heldWorkspace() async throws {
        try await WorkspaceHarness.use(["database_connections": "4"]) { harness in
            harness.peers.change { $0.withSecondFactor = [1] }
            let held = try await harness.makeWorkspace("held")
            let other = try await harness.makeWorkspace("other")
            for id in [held, other] { try await harness.invite(2, to: id) }
            _ = try await harness.sql(
                """
                insert into second_factor values (1, true, 1);
                update workspace set second_factor_from = 1, second_factor_grace = 0 where id = \(held)
                """)
            let lock = "select from workspace.workspace where id = \(held) for update"
            try await harness.database.holding(lock, untilWaiting: 3) {
                _ = try await harness.sql(
                    "update member set second_factor_due = 1 where workspace = \(held) and user_id = 2")
                let path = "/v1/workspaces/\(other)"
                let changed = try await harness.call(
                    "PUT", path + "/settings", json: #"{"requiresSecondFactor":true,"secondFactorGraceDays":0}"#)
                #expect(changed.status == 200, "\(changed.text)")
                let refused = try await harness.call("GET", path, user: 2)
                #expect(refused.errorCode == "E08", "\(refused.text)")
                // The job lets the member in although the held workspace has been due for longer.
                _ = try await harness.sql(
                    """
                    insert into second_factor values (2, true, 1);
                    update member set second_factor_due = 2 where workspace = \(other) and user_id = 2
                    """)
                try await eventually(within: .seconds(30), "the admission") {
                    try await harness.call("GET", path, user: 2).status == 200
                }
                // The sessions that wait end the hold.
                async let first = harness.database.run(sql: lock)
                async let second = harness.database.run(sql: lock)
                async let third = harness.database.run(sql: lock)
                _ = try await (first, second, third)
            }
        }
    }

    @Test(
        "A20: a member that waits to be let in after the end of a rule is let in, though they turn the second factor off"
    )
    func turnedOffMeanwhile() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            // The rule has ended, and no instance has let the member in so far.
            _ = try await harness.sql(
                "update member set locked_out_at = 1, second_factor_due = 9000000000000 where user_id = 2")
            try await harness.redis.command(
                "XADD", "facts:auth", "*", "id", "1", "type", "second-factor.changed", "body",
                #"{"user_id":"2","on":false,"version":2}"#)
            try await eventually(within: .seconds(30), "the admission") {
                try await harness.call("GET", "/v1/workspaces/\(id)", user: 2).status == 200
            }
        }
    }

    @Test("A20: a member that turns a second factor on in the moment of their late return does not stay locked out")
    func turnedOnMeanwhile() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            let path = "/v1/workspaces/\(id)"
            func turnOn(_ user: Int64) async throws {
                try await harness.redis.command(
                    "XADD", "facts:auth", "*", "id", "\(user)", "type", "second-factor.changed", "body",
                    #"{"user_id":"\#(user)","on":true,"version":1}"#)
                try await eventually(within: .seconds(30), "the second factor of user \(user)") {
                    try await harness.sql("select count(*) from second_factor where is_on and user_id = \(user)") == "1"
                }
            }
            try await turnOn(1)
            _ = try await harness.sql(
                "update workspace set second_factor_from = 1, second_factor_grace = 0 where id = \(id)")
            let made = try await harness.call("POST", path + "/invitations", json: "{}")
            let token = try #require(try made.json["token"]?.string)
            // The entry in the log, which is written after the lock-out, waits until the second factor is known.
            let lock = "lock table audit.entry in share row exclusive mode"
            let reply = try await harness.database.holding(lock, untilWaiting: 2) {
                async let accepted = harness.call(
                    "POST", "/v1/workspaces/invitations/accept", user: 2, json: #"{"token":"\#(token)"}"#)
                try await harness.database.untilBlocked()
                try await turnOn(2)
                // The second session that waits ends the hold.
                try await harness.database.run(sql: "begin; \(lock); commit")
                return try await accepted
            }
            #expect(reply.status == 200, "\(reply.text)")
            try await eventually(within: .seconds(30), "the admission") {
                try await harness.call("GET", path, user: 2).status == 200
            }
        }
    }
}

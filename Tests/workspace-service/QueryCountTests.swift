import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Queries", .serialized)
struct QueryCountTests {
    /// The number of statements of a successful call, including those of its transaction.
    private static let counts: [String: Int] = [
        "POST /v1/workspaces": 7,
        "GET /v1/workspaces": 1,
        "GET /v1/workspaces/{id}": 4,
        "PUT /v1/workspaces/{id}": 5,
        // One of them raises the statement time-out.
        "DELETE /v1/workspaces/{id}": 5,
        "GET /v1/workspaces/{id}/search": 2,
        "POST /v1/workspaces/{id}/members": 7,
        "GET /v1/workspaces/{id}/members": 2,
        "GET /v1/workspaces/{id}/members/{user_id}": 2,
        "DELETE /v1/workspaces/{id}/members/{user_id}": 7,
        "GET /v1/workspaces/{id}/leave": 7,
        "GET /v1/workspaces/{id}/exit": 7,
        "DELETE /v1/workspaces/{id}/exit": 7,
        "PUT /v1/workspaces/{id}/change/admin/{user_id}": 9,
        "PUT /v1/workspaces/{id}/transfer/ownership": 9,
        "POST /v1/workspaces/{id}/channels": 7,
        "GET /v1/workspaces/{id}/channels": 2,
        "GET /v1/workspaces/{id}/channels/my": 1,
        "GET /v1/workspaces/{id}/my-channels": 1,
        "GET /v1/workspaces/{id}/channels/{name}": 3,
        "GET /v1/workspaces/{id}/channels/{channel_id}": 3,
        "PUT /v1/workspaces/{id}/channels/{name}": 6,
        "PUT /v1/workspaces/{id}/channels/{channel_id}": 6,
        "DELETE /v1/workspaces/{id}/channels/{name}": 7,
        "DELETE /v1/workspaces/{id}/channels/{channel_id}": 7,
        "GET /v1/workspaces/{id}/channels/{name}/members": 3,
        "GET /v1/workspaces/{id}/channels/{channel_id}/members": 3,
        "DELETE /v1/workspaces/{id}/channels/{channel_id}/members/{user_id}": 8,
        "GET /v1/workspaces/{id}/channels/{name}/leave": 7,
        "GET /v1/workspaces/{id}/channels/{channel_id}/exit": 7,
        "DELETE /v1/workspaces/{id}/channels/{channel_id}/exit": 7,
        "PUT /v1/workspaces/{id}/channels/{name}/change/admin/{user_id}": 7,
        "PUT /v1/workspaces/{id}/channels/{channel_id}/transfer/ownership": 7,
        "PUT /v1/workspaces/{id}/channels/{channel_id}/members/{user_id}": 6,
        "GET /v1/workspaces/{id}/role": 1,
        "GET /v1/workspaces/{id}/roles": 2,
        "PUT /v1/workspaces/{id}/members/{user_id}/role": 9,
        "GET /v1/workspaces/{id}/bans": 2,
        "PUT /v1/workspaces/{id}/bans/{user_id}": 8,
        "DELETE /v1/workspaces/{id}/bans/{user_id}": 3,
        "GET /v1/workspaces/{id}/audit": 2,
        "POST /v1/workspaces/{id}/bots": 9,
        "GET /v1/workspaces/{id}/bots": 2,
        "DELETE /v1/workspaces/{id}/bots/{bot_id}": 10,
        "POST /v1/workspaces/{id}/bots/{bot_id}/tokens": 7,
        "GET /v1/workspaces/{id}/bots/{bot_id}/tokens": 2,
        "POST /v1/workspaces/{id}/bots/{bot_id}/tokens/{token_id}/secret": 5,
        "DELETE /v1/workspaces/{id}/bots/{bot_id}/tokens/{token_id}": 5,
        "POST /v1/workspaces/{id}/invitations": 7,
        "GET /v1/workspaces/{id}/invitations": 2,
        "DELETE /v1/workspaces/{id}/invitations/{invitation_id}": 5,
        "POST /v1/workspaces/invitations/preview": 2,
        "POST /v1/workspaces/invitations/accept": 3,
        "POST /v1/workspaces/{id}/join-requests": 0,
        "GET /v1/workspaces/{id}/join-requests": 2,
        "PUT /v1/workspaces/{id}/join-requests/{user_id}": 5,
        "DELETE /v1/workspaces/{id}/join-requests": 2,
        "GET /v1/workspaces/{id}/settings": 2,
        "PUT /v1/workspaces/{id}/settings": 4,
        "GET /v1/workspaces/{id}/second-factor": 2,
        "GET /v1/static/workspaces/{name}": 1,
        "GET /v1/static/channels/{name}": 1,
        "POST /v1/static/workspaces/links": 1,
        "POST /v1/static/channels/links": 1,
    ]

    /// Further statements for the workspace with 10,000 members and 1,000 channels: its lists take several pages.
    private static let furtherPages: [String: Int] = {
        // A list of exactly ten pages is followed by an empty one; one member is not in the channel.
        let (ofChannels, ofMembers, ofChannelMembers) = (3, 10, 9)
        return [
            "GET /v1/workspaces/{id}": ofChannels + ofMembers,
            "GET /v1/workspaces/{id}/members": ofMembers,
            "GET /v1/workspaces/{id}/channels": ofChannels,
            "GET /v1/workspaces/{id}/channels/my": ofChannels,
            "GET /v1/workspaces/{id}/my-channels": ofChannels,
            "GET /v1/workspaces/{id}/channels/{name}": ofChannelMembers,
            "GET /v1/workspaces/{id}/channels/{channel_id}": ofChannelMembers,
            "GET /v1/workspaces/{id}/channels/{name}/members": ofChannelMembers,
            "GET /v1/workspaces/{id}/channels/{channel_id}/members": ofChannelMembers,
        ]
    }()

    /// The same for internal routes.
    private static let internalCounts: [String: Int] = [
        "POST /internal/access": 2,
        "GET /internal/workspaces/{id}/channels/by-name": 1,
        "POST /internal/channels/{id}/join": 8,
        "GET /internal/channels/{id}/members": 1,
        "GET /internal/workspaces/{id}/members": 1,
        "GET /internal/users/{id}/channels": 1,
        "GET /internal/workspaces/{id}/channels": 1,
        "POST /internal/acquaintances": 1,
        "POST /internal/memberships": 1,
        "POST /internal/starts/channels": 1,
        "POST /internal/lock-outs": 1,
        "POST /internal/auto-join": 6,
        "GET /internal/users/{id}/shared-workspaces": 1,
        "GET /internal/workspaces/{id}/owner": 1,
        "POST /internal/workspaces/{id}/audit": 1,
        "GET /internal/invitations/{id}/mail": 1,
        "GET /internal/pictures/piece": 0,
        "GET /internal/users/{id}/export": 2,
        "POST /internal/workspaces/{id}/removals": 9,
        "POST /internal/operators/acts": 1,
    ]

    private static func cluster() async throws -> PostgresCluster {
        try await PostgresCluster.start([
            "shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track_utility=off",
        ])
    }

    private static func use(_ body: (WorkspaceHarness) async throws -> Void) async throws {
        let cluster = try await Self.cluster()
        // A deletion has a minute, and sends a statement that raises the time limit as long as that is shorter.
        try await WorkspaceHarness.use(["database_timeout": "50s"], cluster: cluster) { harness in
            _ = try await harness.database.run(sql: "create extension pg_stat_statements")
            try await body(harness)
        }
        await cluster.stop()
    }

    /// The number of statements sent by calls so far, without those of constraints, background jobs and the test
    /// itself.
    private static func statements(_ harness: WorkspaceHarness) async throws -> Int {
        let count = try await harness.database.run(
            sql: """
                select coalesce(sum(calls), 0) from pg_stat_statements s join pg_database d on d.oid = s.dbid
                where datname = current_database() and query !~ 'pg_|made|from outbox|update outbox|select [$]1$'
                    and query !~ 'order by second_factor_due|member m set second_factor_due = [$]1'
                    and query !~ 'unused_cover.*(order by|any)'
                    and query !~ 'ONLY "workspace"|w left join channel c|select from channel_member cm where'
                """)
        return Int(count.dropLast()) ?? -1
    }

    @Test("Every route makes a fixed number of queries, and one for each further page of a list")
    func routes() async throws {
        try await Self.use { harness in
            let fixtures = try await Fixture.make(AccessTable.rows.count * 2, in: harness)
            #expect(Self.counts.keys.sorted() == harness.routes.clients)
            let large = fixtures[0]
            _ = try await harness.sql(large.enlarging)
            for (index, row) in AccessTable.rows.enumerated() {
                let leaves = row.route.contains("exit") || row.route.contains("leave")
                // Each route that changes something gets its own workspace; reading routes also get the large one.
                let isRead = row.method == "GET" && !leaves
                for fixture in isRead ? [fixtures[index + 1], large] : [fixtures[index + 1]] {
                    let before = try await Self.statements(harness)
                    let reply = try await Self.call(row, leaves ? 2 : 1, fixture, harness)
                    // Members have no need to ask.
                    let isRefused = row.route == "POST /v1/workspaces/{id}/join-requests"
                    #expect((reply.status < 300) != isRefused, "\(row.route): \(reply.text)")
                    let count = try await Self.statements(harness) - before
                    let further = fixture.number == large.number ? Self.furtherPages[row.route] ?? 0 : 0
                    if !isRefused { #expect(count == (Self.counts[row.route] ?? 0) + further, "\(row.route)") }
                }
            }
        }
    }

    private static func call(
        _ row: AccessRow, _ user: Int64, _ fixture: Fixture, _ harness: WorkspaceHarness
    ) async throws -> HTTPCall.Reply {
        if let form = row.form(name: "new") {
            return try await harness.call(row.method, row.path(fixture), user: user, key: row.key, form: form)
        }
        return try await harness.call(row.method, row.path(fixture), user: user, key: row.key, json: row.json(fixture))
    }

    @Test("Every internal route makes a fixed number of queries, for any number of ids")
    func internalRoutes() async throws {
        try await Self.use { harness in
            let fixture = try await Fixture.make(1, in: harness)[0]
            _ = try await harness.sql(fixture.enlarging)
            #expect(Self.internalCounts.keys.sorted() == harness.routes.services.sorted())
            let channels = try await harness.sql(
                "select id from channel made where workspace = \(fixture.workspace) order by id limit 1000"
            ).split(separator: "\n").map { "\"\($0)\"" }.joined(separator: ",")
            let users = (1001...2000).map { "\"\($0)\"" }.joined(separator: ",")
            let calls: [(String, String, String)] = [
                (
                    "POST /internal/access", "",
                    #"{"user_id":"1","channels":[\#(channels)],"workspaces":["\#(fixture.workspace)"]}"#
                ),
                ("GET /internal/workspaces/{id}/channels/by-name", "?name=general&user_id=1", ""),
                ("POST /internal/channels/{id}/join", "", #"{"user_id":"3"}"#),
                ("GET /internal/channels/{id}/members", "?limit=1000", ""),
                ("GET /internal/workspaces/{id}/members", "?limit=1000", ""),
                ("GET /internal/users/{id}/channels", "", ""),
                ("GET /internal/workspaces/{id}/channels", "?user_id=1", ""),
                ("POST /internal/acquaintances", "", #"{"user_id":"1","others":[\#(users)]}"#),
                ("POST /internal/memberships", "", #"{"ids":[\#(users)]}"#),
                ("POST /internal/starts/channels", "", #"{"ids":[\#(users)]}"#),
                (
                    "POST /internal/lock-outs", "",
                    #"{"user_id":"1","channels":[\#(channels)],"workspaces":["\#(fixture.workspace)"]}"#
                ),
                ("POST /internal/auto-join", "", #"{"user_id":"1","slugs":["lobby"]}"#),
                ("GET /internal/users/{id}/shared-workspaces", "", ""),
                ("GET /internal/workspaces/{id}/owner", "", ""),
                ("POST /internal/workspaces/{id}/audit", "", #"{"key":"k","at":1,"action":"export.requested"}"#),
                ("GET /internal/users/{id}/export", "", ""),
                ("GET /internal/pictures/piece", "?path=/static/workspaces/w0.png", ""),
                ("POST /internal/workspaces/{id}/removals", "", #"{"user_id":"3","by":"1"}"#),
                (
                    "POST /internal/operators/acts", "",
                    #"{"call":"c","at":1,"operator":"a","address":"b","service":"d","act":"e","subject":""}"#
                ),
            ]
            for (route, query, json) in calls {
                let parts = route.split(separator: " ").map(String.init)
                let ofWorkspace = route.contains("workspaces/{id}")
                let id = route.contains("users") ? 1 : ofWorkspace ? fixture.workspace : fixture.channel
                let before = try await Self.statements(harness)
                let reply = try await harness.ask(
                    parts[0], parts[1].replacing("{id}", with: "\(id)") + query, json: json)
                #expect(reply.status == 200, "\(route): \(reply.text)")
                let count = try await Self.statements(harness) - before
                #expect(count == Self.internalCounts[route], "\(route)")
            }
        }
    }
}

import LoadClient
import ServiceSupport
import TestSupport

/// A request to the service, with the statement that it sends to Postgres.
struct MeasuredQuery: Sendable {
    let name: String
    let port: UInt16
    /// A part of the statement that identifies it.
    let statement: String
    /// The values of the parameters, for pgbench.
    let values: [String]
    /// Every complete reply with 50 or 100 channels is longer than this, in bytes.
    private static let minReply = 4096

    /// The request of a user.
    let request: @Sendable (_ user: Int) -> [UInt8]

    /// Home screens: the 50 channels of a user.
    static func myChannels(_ workspace: LoadedWorkspace) -> MeasuredQuery {
        let requests = (0...LoadedWorkspace.users).map { user in
            LoadConnection.request(
                "GET", "/v1/workspaces/\(LoadedWorkspace.workspace)/my-channels",
                headers: [
                    ("SesacKey", "native"),
                    ("Authorization", workspace.auth.tokens.token(user: Int64(user), key: "native")),
                ])
        }
        return MeasuredQuery(
            name: "my-channels", port: workspace.service.publicPort, statement: "from channel_member m join channel c",
            values: ["\(LoadedWorkspace.workspace)", ":user"]
        ) { requests[$0] }
    }

    /// Calls of another service: a user's access to 100 channels.
    static func access(_ workspace: LoadedWorkspace) -> MeasuredQuery {
        let channels = (0..<100).map { LoadedWorkspace.channel + $0 * 10 }
        let quoted = channels.map { "\"\($0)\"" }.joined(separator: ",")
        return MeasuredQuery(
            name: "access to 100 channels", port: workspace.service.internalPort, statement: "where c.id = any(",
            values: [":user", "'{\(channels.map(String.init).joined(separator: ","))}'"]
        ) { user in
            LoadConnection.request(
                "POST", "/internal/access", headers: [("Authorization", "Bearer " + ServiceUnderTest.credential)],
                body: #"{"user_id":"\#(user)","channels":[\#(quoted)]}"#)
        }
    }

    /// Sends the request of users 2, 3, 4 … one after the other.
    var journey: LoadRun.Journey {
        { connection, number, end in
            connection.send(request(number % (LoadedWorkspace.users - 1) + 2)) { reply in
                let isWhole = reply.status == 200 && reply.body.count > Self.minReply
                end(isWhole ? nil : "status \(reply.status), \(reply.body.count) bytes")
            }
        }
    }

    /// pgbench with the statement of the service.
    ///
    /// Reads the statement from `pg_stat_activity`, which shows the last one of each session. The service must have
    /// just sent it.
    func peer(in workspace: LoadedWorkspace) async throws -> PgbenchScript {
        let sent = try await workspace.database.run(
            sql: """
                select query from pg_stat_activity
                where application_name = 'workspace-service' and strpos(query, '\(statement)') > 0 limit 1
                """)
        guard !sent.isEmpty else { throw NeverHappened(description: "a statement with \(statement)") }
        return try PgbenchScript(
            "\\set user random(2, \(LoadedWorkspace.users))\n" + PgbenchScript.line(sent, values), clients: 8,
            on: workspace.database, schema: "workspace")
    }
}

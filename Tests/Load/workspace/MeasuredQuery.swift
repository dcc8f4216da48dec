import LoadClient
import ServiceSupport
import TestSupport

/// Something that is asked again and again: of the service as a request, of Postgres as the same statement.
struct Question: Sendable {
    let name: String
    let port: UInt16
    /// A part of the service's statement by which it is known.
    let statement: String
    /// What stands for the parameters, for pgbench.
    let values: [String]
    /// Bytes that no reply to 50 or 100 channels is short of.
    private static let leastReply = 4096

    /// The request of a user.
    let request: @Sendable (_ user: Int) -> [UInt8]

    /// Home screens: the channels of a user who is in 50.
    static func myChannels(_ house: LoadedHouse) -> Question {
        let requests = (0...LoadedHouse.users).map { user in
            LoadConnection.request(
                "GET", "/v1/workspaces/\(LoadedHouse.workspace)/my-channels",
                headers: [
                    ("SesacKey", "native"),
                    ("Authorization", house.auth.tokens.token(user: Int64(user), key: "native")),
                ])
        }
        return Question(
            name: "my-channels", port: house.service.publicPort, statement: "from channel_member m join channel c",
            values: ["\(LoadedHouse.workspace)", ":user"]
        ) { requests[$0] }
    }

    /// Another service: what a user is to 100 channels.
    static func access(_ house: LoadedHouse) -> Question {
        let channels = (0..<100).map { LoadedHouse.channel + $0 * 10 }
        let quoted = channels.map { "\"\($0)\"" }.joined(separator: ",")
        return Question(
            name: "access to 100 channels", port: house.service.internalPort, statement: "where c.id = any(",
            values: [":user", "'{\(channels.map(String.init).joined(separator: ","))}'"]
        ) { user in
            LoadConnection.request(
                "POST", "/internal/access", headers: [("Authorization", "Bearer " + ServiceUnderTest.credential)],
                body: #"{"user_id":"\#(user)","channels":[\#(quoted)]}"#)
        }
    }

    /// One request after the other, of users 2, 3, 4 …
    var journey: LoadRun.Journey {
        { connection, number, end in
            connection.send(request(number % (LoadedHouse.users - 1) + 2)) { reply in
                let isWhole = reply.status == 200 && reply.body.count > Self.leastReply
                end(isWhole ? nil : "status \(reply.status), \(reply.body.count) bytes")
            }
        }
    }

    /// pgbench asking Postgres what the service asks it, with the service's own statement.
    ///
    /// The statement is taken from the server, which shows what a session has sent last; the service must have just sent it.
    func peer(in house: LoadedHouse) async throws -> PgbenchScript {
        let sent = try await house.database.run(
            sql: """
                select query from pg_stat_activity
                where application_name = 'workspace-service' and strpos(query, '\(statement)') > 0 limit 1
                """)
        guard !sent.isEmpty else { throw NeverHappened(description: "a statement with \(statement)") }
        return try PgbenchScript(
            "\\set user random(2, \(LoadedHouse.users))\n" + PgbenchScript.line(sent, values), clients: 8,
            on: house.database, schema: "workspace")
    }
}

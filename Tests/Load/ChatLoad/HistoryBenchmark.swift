import LoadClient
import ServiceSupport
import TestSupport

/// Histories of 30 messages with warm caches: compares the CPU time of the service with that of Postgres.
public struct HistoryBenchmark: Sendable {
    private static let connections = 32
    private static let messages = 30
    private static let authors = 10
    private static let rounds = 3
    private static let maxShare = 1.5
    private static let maxMemory = 64 << 20

    /// Starts the service, runs the benchmark and prints the results.
    ///
    /// - Parameter seconds: the duration of each of three rounds.
    public static func run(seconds: Int) async throws {
        try await LoadedChat().lent { chat in try await measure(chat, seconds) }
    }

    private static func measure(_ chat: LoadedChat, _ seconds: Int) async throws {
        try await chat.database.run(
            sql: """
                insert into chat.room (kind, id, workspace, name, last_seq, last_at)
                select 1, n, 1, 'general', \(messages), 2000000 + 2 * \(messages)
                from generate_series(1, \(Sends.rooms)) as n;
                insert into chat.message (kind, room, seq, author, session, content, files, created_at)
                select 1, r, n, n % \(authors) + 1, n % \(authors) + 1001,
                    'Good morning! The build of last night is green, I am going to deploy it at ten.', '{}',
                    2000000 + 2 * n
                from generate_series(1, \(Sends.rooms)) as r, generate_series(1, \(messages)) as n;
                analyze
                """)
        let (fleet, requests) = (Fleet(connections, to: chat.service.publicPort), requests(chat.peers))
        _ = try await fleet.run(for: .seconds(3)) { journey(requests) }
        var shares: [Double] = []
        for _ in 0..<rounds {
            let (outcome, all) = try await Cost.of(chat) {
                try await fleet.run(for: .seconds(seconds)) { journey(requests) }
            }
            let cost = all / outcome.count
            Report.print("\(messages) messages, \(connections) connections", outcome, of: "histories", cost)
            print("    ratio \(Report.hundredths(cost.service / cost.database))")
            shares.append(cost.service / cost.database)
        }
        let (share, memory) = (shares.sorted()[rounds / 2], chat.service.meter.residentBytes)
        print("")
        var verdicts = Verdicts()
        verdicts.add(
            "of Postgres's CPU, median: \(Report.hundredths(share)), at most \(maxShare)", share <= maxShare)
        verdicts.add("resident: \(memory >> 20) MB, at most \(maxMemory >> 20)", memory <= maxMemory)
        try verdicts.settle()
    }

    /// Reads the whole history of one room after the other.
    private static func journey(_ requests: [[UInt8]]) -> LoadRun.Journey {
        { connection, number, end in
            connection.send(requests[number % requests.count]) { reply in
                end(reply.status == 200 && reply.body.count > 30 * messages ? nil : "\(reply.status)")
            }
        }
    }

    private static func requests(_ peers: StubServer<PeerStub>) -> [[UInt8]] {
        let heads = (0..<Sends.users).map { user in
            [
                ("SesacKey", "native"),
                ("Authorization", peers.tokens.token(user: Int64(user + 1), key: "native", lives: .seconds(7200))),
            ]
        }
        return (0..<(Sends.users * 8)).map { number in
            LoadConnection.request(
                "GET", "/v1/workspaces/1/channels/\(number &* 7919 % Sends.rooms + 1)/chats?cursor_date=",
                headers: heads[number % Sends.users])
        }
    }
}

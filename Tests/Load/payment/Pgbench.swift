import Glibc
import TestSupport

/// pgbench making the same spends with the same statements as the service, whose sessions are watched for them.
struct Pgbench {
    private let house: LoadedHouse
    private let script: String
    private let clients: Int
    private let folder = TemporaryFolder("load-pgbench")

    /// A statement of the service by a part of its text, and what stands for its parameters.
    private struct Step {
        let part: String
        let values: [String]
    }

    private static let key = "('peer' || :run::text || '-' || :spend::text)"

    /// Reserve, then capture.
    private static let transactions: [[Step]] = {
        let lock = Step(part: "for no key update", values: [":user"])
        let read = Step(part: "left join payment.reserve", values: [":user", key])
        func post(_ kind: String, _ books: String) -> Step {
            Step(
                part: "insert into payment.transaction",
                values: [":user", "'\(kind)'", key, "'{\(books)}'", "'{-1,1}'"])
        }
        func record(_ state: String) -> Step {
            Step(
                part: "insert into payment.reserve",
                values: [key, ":user", "1", "'load'", "'\(state)'", "999999", "now() + interval '10 min'", "null"])
        }
        let fact = Step(
            part: "insert into outbox",
            values: ["'balance.changed'", #"'{"user_id":"1234","balance":999999999,"version":123}'"#])
        return [
            [lock, read, record("reserved"), post("reserve", "wallet,reserved"), fact],
            [lock, read, record("captured"), post("capture", "reserved,revenue")],
        ]
    }()

    /// Takes the statements from the server; the service must be making spends.
    init(house: LoadedHouse, users: Int, clients: Int) async throws {
        self.house = house
        self.clients = clients
        let statements = try await Self.statements(of: house)
        var script = """
            \\set user random(1, \(users))
            \\set run random(1, 1000000000)
            \\set spend random(1, 1000000000)

            """
        for transaction in Self.transactions {
            script += "begin;\n"
            for step in transaction {
                guard var text = statements.first(where: { $0.contains(step.part) }) else {
                    throw NeverHappened(description: "a statement with \(step.part)")
                }
                for (index, value) in step.values.enumerated().reversed() {
                    text = text.replacing("$\(index + 1)", with: value)
                }
                script += text.split(whereSeparator: \.isWhitespace).joined(separator: " ") + ";\n"
            }
            script += "commit;\n"
        }
        self.script = folder.path + "/script"
        guard let file = fopen(self.script, "w") else { throw NeverHappened(description: "a script") }
        fputs(script, file)
        fclose(file)
    }

    /// The statements of the service as it sends them, which its sessions show while they are at them.
    private static func statements(of house: LoadedHouse) async throws -> [String] {
        let separator = "===="
        let seen = try await house.database.run(
            sql: """
                create temporary table seen (query text primary key);
                do $$ begin
                    for turn in 1..3000 loop
                        perform pg_stat_clear_snapshot();
                        insert into seen select distinct query from pg_stat_activity
                            where application_name = 'payment-service' on conflict do nothing;
                        perform pg_sleep(0.001);
                    end loop;
                end $$;
                select query || '\(separator)' from seen
                """)
        return seen.split(separator: separator).map(String.init)
    }

    /// Spends a second.
    func run(seconds: Int) async throws -> Double {
        let log = folder.path + "/log-\(UInt32.random(in: 0 ... .max))"
        let process = try ChildProcess(
            "/usr/lib/postgresql/15/bin/pgbench",
            [
                "-n", "-M", "prepared", "-c", "\(clients)", "-j", "2", "-T", "\(seconds)", "-f", script,
                house.database.connectionString + "?options=-csearch_path%3Dpayment",
            ], log: log)
        guard await process.wait() == 0, !process.output.contains("aborted"),
            let line = process.output.split(separator: "\n").first(where: { $0.hasPrefix("tps = ") }),
            let rate = Double(line.dropFirst(6).prefix { $0 != " " })
        else { throw NeverHappened(description: "pgbench: \(process.output)") }
        return rate
    }
}

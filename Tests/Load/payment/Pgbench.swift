import LoadClient
import TestSupport

/// pgbench with the statements of the service's spends, read from the service's sessions.
enum Pgbench {
    /// A statement, found by a part of its text, and the values of its parameters.
    private struct Step {
        let part: String
        let values: [String]
    }

    private static let key = "('peer' || :run::text || '-' || :spend::text)"

    /// Reserve, then release. A statement that is alone needs no transaction.
    private static let transactions: [[Step]] = {
        let lock = Step(part: "for no key update", values: [":user"])
        let read = Step(part: "left join reserve", values: [":user", key])
        func post(_ kind: String, _ books: String) -> Step {
            Step(
                part: "insert into transaction",
                values: [":user", "'\(kind)'", key, "'{\(books)}'", "'{-1,1}'"])
        }
        func record(_ state: String) -> Step {
            Step(
                part: "insert into reserve",
                values: [key, ":user", "1", "'load'", "'\(state)'", "999999", "99999999999999", "null"])
        }
        let fact = Step(
            part: "insert into outbox",
            values: ["'balance.changed'", #"'{"user_id":"1234","balance":999999999,"version":123}'"#])
        return [
            [lock, read, record("reserved"), post("reserve", "wallet,reserved"), fact],
            [Step(part: "select user_id from reserve", values: [key])],
            [lock, read, record("released"), post("release", "reserved,wallet"), fact],
        ]
    }()

    /// Makes the script. The service must be making spends at the time.
    static func script(for fixture: PaymentLoadFixture, users: Int, clients: Int) async throws -> PgbenchScript {
        let statements = try await statements(of: fixture)
        var script = """
            \\set user random(1, \(users))
            \\set run random(1, 1000000000)
            \\set spend random(1, 1000000000)

            """
        for transaction in transactions {
            if transaction.count > 1 { script += "begin;\n" }
            for step in transaction {
                guard let text = statements.first(where: { $0.contains(step.part) }) else {
                    throw NeverHappened(description: "a statement with \(step.part)")
                }
                script += PgbenchScript.line(text, step.values) + "\n"
            }
            if transaction.count > 1 { script += "commit;\n" }
        }
        return try PgbenchScript(script, clients: clients, on: fixture.database, schema: "payment")
    }

    /// The statements of the service, sampled from its sessions.
    private static func statements(of fixture: PaymentLoadFixture) async throws -> [String] {
        let separator = "===="
        let seen = try await fixture.database.run(
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
}

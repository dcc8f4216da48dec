import LoadClient
import TestSupport

/// The built payment-service on a Postgres and a Redis that write to disk as in production.
struct PaymentLoadFixture: Stoppable {
    let service: LoadedService

    init() async throws {
        service = try await LoadedService.start(
            "payment-service",
            postgres: ["checkpoint_timeout=30min", "max_wal_size=8GB"], ["auth_url": "http://127.0.0.1:1"],
            readiness: "/healthz")
    }

    var database: TestDatabase { service.database }

    /// The meter of Postgres.
    var databaseMeter: ProcessMeter {
        get throws {
            let file = try String(contentsOfFile: service.cluster.socketFolder + "/data/postmaster.pid")
            guard let pid = file.split(separator: "\n").first.flatMap({ Int32($0) }) else {
                throw NeverHappened(description: "a Postgres")
            }
            return ProcessMeter(pid: pid)
        }
    }

    /// Opens accounts for users from 1 on, each with a large balance.
    func openAccounts(_ users: Int) async throws {
        try await database.run(
            sql: """
                do $$
                declare
                    made bigint;
                begin
                    for one in 1..\(users) loop
                        insert into payment.account (user_id) values (one);
                        insert into payment.transaction (user_id, kind, subject) values (one, 'grant', one::text)
                            returning id into made;
                        insert into payment.entry (transaction_id, user_id, book, amount)
                            values (made, one, 'wallet', 1000000000), (made, one, 'grants', -1000000000);
                    end loop;
                end $$;
                analyze
                """)
    }

    func stop() async { await service.stop() }
}

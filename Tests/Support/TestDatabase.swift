/// A database of a test suite.
public struct TestDatabase: Sendable {
    public let cluster: PostgresCluster
    public let name: String

    public var connectionString: String { cluster.connectionString(database: name) }

    /// The connection string for another role.
    public func connectionString(user: String) -> String { cluster.connectionString(database: name, user: user) }

    /// Runs SQL as the superuser through `psql`, and returns its output.
    @discardableResult
    public func run(sql: String) async throws -> String { try await cluster.run(sql: sql, database: name) }

    /// The sessions that wait for a lock. A session that makes a table longer may wait for another one for a moment, in any test.
    private static let waits = """
        pg_stat_activity where wait_event_type = 'Lock' and wait_event <> 'extend' and datname = current_database()
        """

    /// The number of sessions that wait for the session that asks, or for one of those.
    private static let waiters = """
        with recursive waiting(pid) as (
            select pg_backend_pid()
            union
            select other.pid from waiting join (select pid from \(waits)) as other
                on waiting.pid = any(pg_blocking_pids(other.pid))
        )
        select count(*) - 1 from waiting
        """

    /// Citus may run a statement in another session than the one that was asked, so there all waits count.
    private static let held = PostgresCluster.hasCitus ? "select count(*) from \(waits)" : waiters

    /// Waits until a session waits for a lock.
    public func untilBlocked() async throws {
        try await eventually("a blocked session") {
            try await self.run(sql: "select count(*) from \(Self.waits)") != "0\n"
        }
    }

    /// Runs SQL in a transaction that keeps its locks until so many other sessions wait for them or for each other, then `rest` of it and
    /// the commit. `body` runs meanwhile. Sessions that wait for others, such as background jobs of a service, do not count.
    public func holding<Result: Sendable>(
        _ sql: String, untilWaiting count: Int = 1, then rest: String = "", while body: () async throws -> Result
    ) async throws -> Result {
        async let held = run(
            sql: """
                begin; \(sql); select pg_advisory_xact_lock(77);
                do $$ begin
                    for turn in 1..\(Int(Duration.seconds(6000).patiently / .seconds(1))) loop
                        perform pg_stat_clear_snapshot();
                        exit when (\(Self.held)) >= \(count);
                        perform pg_sleep(0.005);
                    end loop;
                end $$; \(rest); commit
                """)
        try await eventually("the locks") {
            try await self.run(
                sql: """
                    select count(*) from pg_locks where locktype = 'advisory' and objid = 77
                        and database = (select oid from pg_database where datname = current_database())
                    """) != "0\n"
        }
        let result = try await body()
        _ = try await held
        return result
    }
}

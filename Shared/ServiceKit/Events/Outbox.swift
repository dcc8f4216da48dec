public import Postgres
public import Wire

/// Facts that are to be told to other services, written in the transaction that makes them true.
///
/// What is committed is told at least once, what is rolled back never; `OutboxRelay` does the telling.
public struct Outbox: Sendable {
    private let database: PostgresPool
    private let signal: WakeSignal

    private static let append = Statement.write("append to outbox", "insert into outbox (type, body) values ($1, $2)")

    /// The table, for the service's list of migrations.
    public static func migration(number: Int) -> Migration {
        Migration(number: number, name: "create_outbox", sql: Array(table.utf8))
    }

    private static let table = """
        create table outbox (
            id bigint generated always as identity primary key,
            type text not null,
            body text not null,
            created_at timestamptz not null default now(),
            published_at timestamptz,
            entry text
        );
        create index outbox_waiting on outbox (id) where published_at is null;
        create index outbox_published on outbox (published_at) where published_at is not null;
        """

    init(database: PostgresPool, signal: WakeSignal) {
        self.database = database
        self.signal = signal
    }

    /// Runs `body` in a transaction; the facts that it appends are told as soon as it has committed.
    public func transaction<Result>(
        _ isolation: Isolation = .readCommitted, attempts: Int = 3,
        _ body: (PostgresTransaction) async throws -> Result
    ) async throws -> Result {
        let result = try await database.transaction(isolation, attempts: attempts, body)
        signal.wake()
        return result
    }

    /// Writes a fact within `transaction`.
    public func append(
        _ type: StaticString, in transaction: PostgresTransaction, _ write: (inout JSONWriter) -> Void
    ) async throws(PostgresError) {
        var batch = PostgresBatch()
        try add(type, to: &batch, write)
        try await transaction.run(batch)
    }

    /// Adds the writing of a fact to a batch, which saves it a round trip of its own.
    public func add(
        _ type: StaticString, to batch: inout PostgresBatch, _ write: (inout JSONWriter) -> Void
    ) throws(PostgresError) {
        let body = JSONWriter.bytes { json in json.object(write) }
        try batch.add(Self.append, "\(type)", String(decoding: body, as: UTF8.self))
    }

    /// Says that rows were written outside of `transaction`.
    public func wake() { signal.wake() }
}

public import Contract
public import Postgres
internal import Wire

/// The facts that a service publishes. Each is written in the transaction that makes it true.
///
/// A committed fact is published at least once, and one that is rolled back never. `OutboxRelay` publishes them.
public struct Outbox: Sendable {
    private let database: PostgresPool
    private let signal: WakeSignal
    /// The short name of the publishing service.
    private let source: String

    private static let append = Statement.write("append to outbox", "insert into outbox (type, body) values ($1, $2)")

    /// The migration that creates the table, for the service's list of migrations.
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

    init(database: PostgresPool, signal: WakeSignal, source: String) {
        self.database = database
        self.signal = signal
        self.source = source
    }

    /// Runs `body` in a transaction; the facts that it appends are published as soon as it has committed.
    public func transaction<Result>(
        _ isolation: Isolation = .readCommitted, attempts: Int = 3,
        _ body: (PostgresTransaction) async throws -> Result
    ) async throws -> Result {
        let result = try await database.transaction(isolation, attempts: attempts, body)
        signal.wake()
        return result
    }

    /// Writes a fact within `transaction`.
    public func append(_ fact: some Fact, in transaction: PostgresTransaction) async throws(PostgresError) {
        var batch = PostgresBatch()
        try add(fact, to: &batch)
        try await transaction.run(batch)
    }

    /// Adds the insert of a fact to a batch, which saves a round trip.
    public func add<F: Fact>(_ fact: F, to batch: inout PostgresBatch) throws(PostgresError) {
        assert(F.source == source, "an outbox publishes the facts of one service")
        try batch.add(Self.append, fact.name.rawValue, String(decoding: fact.encodedBody(), as: UTF8.self))
    }

    /// Wakes the relay after facts were appended outside of `transaction`.
    public func wake() { signal.wake() }
}

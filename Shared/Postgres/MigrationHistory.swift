/// The table `schema_migrations` of one schema.
struct MigrationHistory: Sendable {
    private let schema: String
    private let table: String
    /// Whether each statement of a migration is sent alone. Citus refuses a text of several that change a divided table.
    private let sendsEachAlone: Bool

    init(schema: String, sendsEachAlone: Bool = false) {
        self.schema = schema
        self.sendsEachAlone = sendsEachAlone
        table = Self.quoted(schema) + ".schema_migrations"
    }

    private static let lock = Statement.write(
        "lock migrations", "select pg_advisory_xact_lock(hashtextextended('maru migrations of ' || $1::text, 0))")
    /// Calls of services queue behind a statement that waits for its lock, and one that holds a lock meanwhile can end them in a
    /// deadlock after a second. So a migration gives up early.
    private static let limitWait = Statement.write(
        "limit wait for lock", "select set_config('lock_timeout', '200ms', true)")
    private static let schemaExists = Statement.read(
        "look for schema", "select to_regnamespace(quote_ident($1)) is not null")

    /// Earlier releases stored times with a type of their own.
    private static let hasOldTimes = Statement.read(
        "find old times of migrations",
        """
        select atttypid = 'timestamptz'::regtype from pg_attribute
        where attrelid = $1::text::regclass and attname = 'applied_at'
        """)
    /// The time in milliseconds since 1970.
    private static let now = "(extract(epoch from now()) * 1000)::bigint"

    func lock(in tx: PostgresTransaction) async throws(PostgresError) { try await tx.query(Self.lock, schema) }

    /// Creates the schema and the table if they are missing, and brings a table of an earlier release up to date.
    func create(in tx: PostgresTransaction) async throws(PostgresError) {
        try await lock(in: tx)
        if !(try await tx.query(Self.schemaExists, schema).value(as: Bool.self)) {
            try await tx.execute(Statement.write("create schema", unprepared: "create schema \(Self.quoted(schema))"))
        }
        try await tx.execute(
            Statement.write(
                "create schema_migrations",
                unprepared: """
                    create table if not exists \(table) (
                        number bigint primary key,
                        name text not null,
                        checksum bytea not null,
                        applied_at bigint not null default \(Self.now)
                    )
                    """))
        if try await tx.query(Self.hasOldTimes, table).value(as: Bool.self) {
            try await tx.execute(
                Statement.write(
                    "change times of migrations",
                    unprepared: """
                        alter table \(table) alter column applied_at drop default,
                            alter column applied_at type bigint
                                using round(extract(epoch from applied_at) * 1000)::bigint,
                            alter column applied_at set default \(Self.now)
                        """))
        }
    }

    /// The outcome of `apply`.
    enum Outcome: Sendable {
        case applied
        /// It had been applied before.
        case known
        /// A portion of it is done, and others are left.
        case begun
    }

    /// Applies a migration, or the next portion of one, if it has not been applied before.
    ///
    /// - Throws: `PostgresError` with `isLockTimeout` if calls of services hold a table; it may then be tried again.
    func apply(_ migration: Migration, in tx: PostgresTransaction) async throws -> Outcome {
        try await lock(in: tx)
        let find = Statement.read(
            "find migration",
            unprepared: "select checksum = sha256($2) from \(table) where number = $1")
        if let isSame = try await tx.query(find, migration.number, migration.sql).first({ try $0.next(as: Bool.self) })
        {
            guard isSame else { throw MigrationError.changed(migration.number, name: migration.name) }
            return .known
        }
        if let last = try await last(in: tx), last > migration.number {
            throw MigrationError.missing(migration.number)
        }
        try await tx.query(Self.limitWait)
        let text = String(decoding: migration.sql, as: UTF8.self)
        if migration.isInPortions {
            let portion = Statement.write("run portion of migration", unprepared: text)
            guard try await tx.query(portion).value(as: Bool.self) else { return .begun }
        } else {
            for part in sendsEachAlone ? SQLScript.statements(in: text) : [text] { try await tx.run(script: part) }
        }
        let record = Statement.write(
            "record migration",
            unprepared: "insert into \(table) (number, name, checksum) values ($1, $2, sha256($3))")
        try await tx.execute(record, migration.number, migration.name, migration.sql)
        return .applied
    }

    /// Reads number, name and time of the applied migrations.
    var all: Statement {
        Statement.read("list migrations", unprepared: "select number, name, applied_at from \(table) order by number")
    }

    /// The number of the last applied migration; nil if there is none.
    func last(in tx: PostgresTransaction) async throws(PostgresError) -> Int? {
        let findLast = Statement.read("find last migration", unprepared: "select max(number) from \(table)")
        return try await tx.query(findLast).value(as: Int?.self)
    }

    private static func quoted(_ identifier: String) -> String {
        "\"" + identifier.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

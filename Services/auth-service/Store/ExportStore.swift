import Contract
import Postgres
import ServiceKit
import Wire

/// The tables `export` and `export_file`, and the account's own rows for its export.
struct ExportStore: Sendable {
    private let database: PostgresPool
    /// The account's own rows.
    let tables: ExportTables

    /// A new request replaces a failed one, and one that is old enough. The old file is due at once.
    private static let request = Statement.write(
        "request export",
        """
        with requested as (
            insert into export (account, requested_at, due_at)
            select id, $2, $2 from account where id = $1 and deleted_at is null for share
            on conflict (account) do update set
                state = 'pending', requested_at = excluded.requested_at, due_at = excluded.due_at, attempts = 0,
                file = null, size = null, expires_at = null
            where export.state = 'failed' or export.state = 'ready' and export.requested_at <= $3
            returning account
        ), replaced as (
            update export_file set due_at = $2 where account in (select account from requested)
        )
        select count(*) from requested
        """)
    private static let find = Statement.read(
        "find export",
        """
        select e.state, e.requested_at, e.file, e.expires_at, a.credentials
        from export e join account a on a.id = e.account
        where e.account = $1 and (e.expires_at is null or e.expires_at > $2)
        """)
    private static let byFile = Statement.read(
        "export by file",
        """
        select e.account, e.expires_at, a.credentials from export e join account a on a.id = e.account
        where e.file = $1 and e.state = 'ready' and e.expires_at > $2 and a.deleted_at is null
        """)
    private static let take = Statement.write(
        "take due export",
        """
        update export set attempts = attempts + 1, due_at = $1 + $2
        where account = (
            select account from export where state = 'pending' and due_at <= $1
            order by due_at limit 1 for update skip locked
        )
        returning account, requested_at, attempts
        """)
    private static let renew = Statement.write(
        "renew export",
        """
        update export set due_at = $4
        where account = $1 and requested_at = $2 and attempts = $3 and state = 'pending'
        """)
    private static let finish = Statement.write(
        "finish export",
        """
        with finished as (
            update export set state = 'ready', file = $4, size = $5, expires_at = $6
            where account = $1 and requested_at = $2 and attempts = $3 and state = 'pending'
            returning account, file, expires_at
        )
        -- The sweep may have forgotten a file that took long to store.
        insert into export_file (name, account, due_at) select file, account, expires_at from finished
        on conflict (name) do update set due_at = excluded.due_at
        """)
    private static let fail = Statement.write(
        "fail export",
        "update export set state = 'failed' where account = $1 and requested_at = $2 and attempts = $3")
    private static let forget = Statement.write("forget expired exports", "delete from export where expires_at <= $1")
    private static let record = Statement.write(
        "record export file",
        """
        insert into export_file (name, account, due_at)
        select $1, id, $3 from account where id = $2 and deleted_at is null for share
        """)
    /// The sweep may have forgotten the file before it was stored, so it is recorded again.
    private static let makeDue = Statement.write(
        "make export file due",
        """
        insert into export_file (name, due_at) values ($1, 0) on conflict (name) do update set due_at = 0
        """)
    private static let dueFiles = Statement.read(
        "due export files", "select name from export_file where due_at <= $1 order by due_at limit $2")
    private static let forgetFiles = Statement.write(
        "forget export files", "delete from export_file where name = any($1::text[])")
    private static let length = Statement.read(
        "length of export queue",
        """
        select count(*), min(requested_at)
        from (select requested_at from export where state = 'pending' limit $1) as waiting
        """)

    /// An export that an instance has leased.
    struct Order: Sendable {
        let account: UserID
        let requestedAt: Timestamp
        let attempts: Int
    }

    init(database: PostgresPool) {
        self.database = database
        tables = ExportTables(ExportStore.sections, in: database)
    }

    func transaction<Result>(_ body: (PostgresTransaction) async throws -> Result) async throws -> Result {
        try await database.transaction(attempts: 3, body)
    }

    /// Orders an export; false if one is under way or was requested after `moment`.
    func request(
        _ account: UserID, at now: Timestamp, notSince moment: Timestamp, in tx: PostgresTransaction
    ) async throws -> Bool {
        try await tx.query(Self.request, account, now.milliseconds, moment.milliseconds).value(as: Int64.self) == 1
    }

    /// The state of the account's export, and when it was requested.
    func find(_ account: UserID, at now: Timestamp) async throws -> (state: ExportState, requestedAt: Timestamp) {
        let found = try await database.query(Self.find, account, now.milliseconds).first { row throws(PostgresError) in
            let state = try row.next(as: String.self)
            let requestedAt: Timestamp = try row.next()
            let file = try row.next(as: String?.self), expiresAt = try row.next(as: Timestamp?.self)
            let credentials = try row.next(as: Int64.self)
            guard state == "ready", let file, let expiresAt else {
                return (state == "failed" ? ExportState.failed : .pending, requestedAt)
            }
            let download = ExportDownload(
                account: account, file: file, expiresAt: expiresAt, credentials: credentials)
            return (.ready(download), requestedAt)
        }
        return found ?? (.none, now)
    }

    /// The ready export with a file.
    func find(file: String, at now: Timestamp) async throws -> ExportDownload? {
        try await database.query(Self.byFile, file, now.milliseconds).first { row throws(PostgresError) in
            ExportDownload(
                account: try row.next(), file: file, expiresAt: try row.next(), credentials: try row.next())
        }
    }

    // MARK: The job

    /// Leases the export that has waited longest.
    func take(at now: Timestamp, lease: Duration) async throws -> Order? {
        try await database.query(Self.take, now.milliseconds, lease.wholeMilliseconds).first {
            row throws(PostgresError) in
            Order(
                account: try row.next(), requestedAt: try row.next(), attempts: Int(try row.next(as: Int32.self)))
        }
    }

    /// Extends a lease; false if it was lost.
    func renew(_ order: Order, until end: Timestamp) async throws -> Bool {
        try await database.execute(
            Self.renew, order.account, order.requestedAt.milliseconds, order.attempts, end.milliseconds) == 1
    }

    /// Makes a failed attempt due later.
    func postpone(_ order: Order, to moment: Timestamp) async throws { _ = try await renew(order, until: moment) }

    func fail(_ order: Order) async throws {
        try await database.execute(Self.fail, order.account, order.requestedAt.milliseconds, order.attempts)
    }

    /// Makes an export ready; false if its lease was lost or the account is gone.
    func finish(
        _ order: Order, file: String, size: Int, expiry: Timestamp, in tx: PostgresTransaction
    ) async throws -> Bool {
        try await tx.execute(
            Self.finish, order.account, order.requestedAt.milliseconds, order.attempts, file, Int64(size),
            expiry.milliseconds) == 1
    }

    // MARK: Files

    /// Records a file before it is stored; without an account there is nothing to store.
    func record(_ name: String, of account: UserID, due: Timestamp) async throws {
        guard try await database.execute(Self.record, name, account, due.milliseconds) == 1 else {
            throw ExportJob.LostLease()
        }
    }

    func makeDue(_ name: String) async throws { try await database.execute(Self.makeDue, name) }

    func dueFiles(at now: Timestamp, limit: Int) async throws -> [String] {
        try await database.query(Self.dueFiles, now.milliseconds, limit).map { row throws(PostgresError) in
            try row.next()
        }
    }

    func forget(_ names: [String]) async throws { try await database.execute(Self.forgetFiles, names) }

    /// Forgets exports that have expired.
    func forget(expiredAt now: Timestamp) async throws { try await database.execute(Self.forget, now.milliseconds) }

    /// The number of exports that wait or are under way.
    func length() async throws -> QueueLength {
        try await database.query(Self.length, QueueLength.mostCounted).only { row throws(PostgresError) in
            let rows = try row.next(as: Int64.self)
            return QueueLength(rows: Int(rows), oldest: try row.next())
        }
    }
}

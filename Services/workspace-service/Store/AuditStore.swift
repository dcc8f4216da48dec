import Contract
import Postgres
import Wire

/// The audit log, a table that only grows: see `0020_audit.sql`.
struct AuditStore: Sendable {
    let database: PostgresPool

    private static let insert = Statement.write(
        "insert audit entry",
        """
        insert into audit.entry (workspace, key, at, action, actor, user_id, subject, detail, address, app, session)
        select id, $2, $3, $4, $5, $6, $7, $8::jsonb, $9, $10, $11 from workspace where id = $1
        on conflict (key) do nothing
        """)
    private static let insertEverywhere = Statement.write(
        "insert audit entries of user",
        """
        insert into audit.entry (workspace, key, at, action, actor, user_id, address, app, session)
        select workspace, $2 || '-' || workspace, $3, $4, user_id, user_id, $5, $6, $7 from member
        where user_id = $1 and joined_at - 5000 <= $3
        on conflict (key) do nothing
        """)
    private static let list = Statement.read(
        "page of audit log",
        """
        select id, at, action, actor, user_id, subject, detail, address, app, session from audit.entry
        where workspace = $1 and id < $2
            and ($3::bigint is null or actor = $3) and ($4::bigint is null or user_id = $4)
            and ($5::text is null or action = $5 or starts_with(action, $5 || '.'))
            and ($6::bigint is null or at >= $6) and ($7::bigint is null or at < $7)
            and not (action = 'report.dismissed' and user_id is not distinct from $9::bigint)
        order by id desc limit $8
        """)
    private static let expire = Statement.write("expire audit log", "select audit.expire($1)")
    private static let forget = Statement.write("forget origin of audit entries", "select 1 from audit.forget($1)")

    /// Adds an entry; nothing happens if there is one with this key, or no such workspace.
    ///
    /// - Parameter key: nil for an event of the transaction that makes it true.
    func insert(
        _ event: AuditEvent, of workspace: WorkspaceID, key: String? = nil, at now: Timestamp,
        in queryable: some Queryable
    ) async throws {
        let detail = JSONWriter.bytes { json in
            json.object { json in
                for (name, value) in event.detail.sorted(by: { $0.key < $1.key }) {
                    json.key(escaping: name)
                    json.value(value)
                }
            }
        }
        try await queryable.execute(
            Self.insert, workspace, key, now.milliseconds, event.action.rawValue, event.actor, event.user,
            event.subject, PostgresJSON(detail), event.origin?.address, event.origin?.app, event.origin?.session)
    }

    /// Adds an entry to the log of each workspace that the user is in, once for each key. The logs of workspaces that the user has joined
    /// since `now` get none: a fact may come a day late, and all of them come again after Redis has lost them. Five seconds more are
    /// allowed, because clocks of machines differ, and a sign-in with an app that has `auto_join` enters a workspace just before it.
    func insert(
        _ action: AuditAction, ofAllWorkspacesOf user: UserID, key: String, from origin: AuditOrigin, at now: Timestamp
    ) async throws {
        try await database.execute(
            Self.insertEverywhere, user, key, now.milliseconds, action.rawValue, origin.address, origin.app,
            origin.session)
    }

    /// The entries before the id `last`, newest first. Nobody sees that a report about themselves was dismissed.
    func list(
        _ workspace: WorkspaceID, _ filter: AuditFilter, before last: Int64, limit: Int, for reader: UserID
    ) async throws -> [AuditEntry] {
        try await database.query(
            Self.list, workspace, last, filter.actor, filter.user, filter.action, filter.from?.milliseconds,
            filter.until?.milliseconds, limit, reader
        ).map(AuditEntry.init(row:))
    }

    /// Deletes some entries older than `moment`, but none of the last thirty days; returns how many.
    func expire(before moment: Timestamp) async throws -> Int {
        Int(try await database.query(Self.expire, moment.milliseconds).value(as: Int64.self))
    }

    /// Takes the addresses, apps and sessions of a deleted account from its entries.
    func forget(_ user: UserID) async throws { try await database.execute(Self.forget, user) }
}

extension AuditEntry {
    /// Reads the columns id, at, action, actor, user_id, subject, detail, address, app, session.
    fileprivate init(row: inout Row) throws(PostgresError) {
        id = try row.next()
        at = Timestamp(milliseconds: try row.next())
        action = try row.next()
        actor = try row.next()
        user = try row.next()
        subject = try row.next()
        detail = try row.next(as: PostgresJSON.self).bytes
        address = try row.next()
        app = try row.next()
        session = try row.next()
    }
}

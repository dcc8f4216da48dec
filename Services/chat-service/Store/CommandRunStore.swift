import Contract
import Postgres
import Wire

/// The table of runs that wait for their answers.
struct CommandRunStore: Sendable {
    let database: PostgresPool
    /// Nil for tables on one server.
    var finder: WorkspaceFinder?

    private static let insert = Statement.write(
        "insert run of command",
        """
        insert into command_run (secret, workspace, bot, command, kind, room, thread, user_id, expires_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        returning id, workspace, bot, command, thread, user_id, expires_at, kind, room
        """)
    private static let take = Statement.write(
        "end run of command", "delete from command_run where workspace = $2 and id = $1")
    private static let takeBySecret = Statement.write(
        "take run of command",
        """
        delete from command_run where workspace = $3 and secret = $1 and expires_at > $2
        returning id, workspace, bot, command, thread, user_id, expires_at, kind, room
        """)
    private static let workspace = Statement.read(
        "workspace of run of command", "select workspace from command_run where secret = $1")
    private static let restore = Statement.write(
        "restore run of command",
        """
        insert into command_run (id, secret, workspace, bot, command, kind, room, thread, user_id, expires_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        """)
    private static let forget = Statement.write(
        "delete old runs of commands", "delete from command_run where workspace = $2 and expires_at <= $1")
    private static let expired = Statement.read(
        "workspaces with old runs of commands", "select distinct workspace from command_run where expires_at <= $1")
    private static let expiredAmong = Statement.read(
        "workspaces with old runs of commands among some",
        "select distinct workspace from command_run where workspace = any($2::bigint[]) and expires_at <= $1")

    /// Inserts a run of a command.
    ///
    /// - Parameter secret: the digest of the secret of its address.
    func insert(
        _ secret: [UInt8], of command: Command, in room: RoomID, thread: Int64?, by user: UserID, until end: Timestamp
    ) async throws -> CommandRun {
        try await database.query(
            Self.insert, secret, command.workspace, command.bot, command.name.text, room.kindNumber, room.rawValue,
            thread, user, end.milliseconds
        ).map(CommandRun.init(row:))[0]
    }

    /// Ends a run; false if it has been answered.
    func take(_ run: CommandRun) async throws -> Bool {
        try await database.execute(Self.take, run.id, run.workspace) == 1
    }

    /// Ends the run of an address, and returns it; nil if it has been answered, or its time is over.
    func take(_ secret: [UInt8], at now: Timestamp) async throws -> CommandRun? {
        let workspace = try await database.query(Self.workspace, secret)
            .first { row throws(PostgresError) in try row.next(as: WorkspaceID.self) }
        guard let workspace else { return nil }
        return try await database.query(Self.takeBySecret, secret, now.milliseconds, workspace).first(
            CommandRun.init(row:))
    }

    /// Opens the address of a run again.
    func restore(_ run: CommandRun, secret: [UInt8]) async throws {
        try await database.execute(
            Self.restore, run.id, secret, run.workspace, run.bot, run.command, run.room.kindNumber, run.room.rawValue,
            run.thread, run.user, run.expiresAt.milliseconds)
    }

    /// Deletes the runs that have expired. While a part of a divided schema is out of reach, its stay.
    func forget(before now: Timestamp) async throws {
        let leases = WorkspaceLeaseStore(database: database, finder: finder)
        let workspaces = try await leases.workspaces(by: Self.expired, among: Self.expiredAmong, before: now)
        try await leases.each(of: workspaces, for: .runs) { workspace in
            try await database.execute(Self.forget, now.milliseconds, workspace)
        }
    }
}

extension CommandRun {
    /// Reads the columns id, workspace, bot, command, thread, user_id, expires_at, kind, room.
    fileprivate init(row: inout Row) throws(PostgresError) {
        id = try row.next()
        workspace = try row.next()
        bot = try row.next()
        command = try row.next()
        thread = try row.next()
        user = try row.next()
        expiresAt = try row.next()
        room = try row.nextRoom()
    }
}

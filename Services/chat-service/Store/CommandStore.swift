import Contract
import Postgres
import Wire

/// The table of commands.
struct CommandStore: Sendable {
    let database: PostgresPool

    private static let insert = Statement.write(
        "insert command",
        """
        insert into command (workspace, bot, name, description, hint, url, seed, created_at)
        select $1::bigint, $2::bigint, $3::text, $4::text, $5::text, $6::text, $7::bytea, $8::bigint
        where (select count(*) from command where workspace = $1) < $9
        on conflict (workspace, name) do nothing
        returning id, workspace, bot, name, description, hint, url, seed, created_at
        """)
    private static let list = Statement.read(
        "commands of workspace",
        """
        select id, workspace, bot, name, description, hint, url, seed, created_at
        from command where workspace = $1 order by name
        """)
    private static let byID = Statement.read(
        "command",
        """
        select id, workspace, bot, name, description, hint, url, seed, created_at
        from command where id = $1 and workspace = $2
        """)
    private static let byName = Statement.read(
        "command by name",
        """
        select id, workspace, bot, name, description, hint, url, seed, created_at
        from command where workspace = $1 and name = $2
        """)
    private static let delete = Statement.write(
        "delete command", "delete from command where id = $1 and workspace = $2")
    private static let forgetBot = Statement.write(
        "delete commands of bot",
        """
        with runs as (delete from command_run where workspace = $1 and bot = $2)
        delete from command where workspace = $1 and bot = $2
        """)
    private static let forgetWorkspace = Statement.write(
        "delete commands of workspace",
        """
        with runs as (delete from command_run where workspace = $1)
        delete from command where workspace = $1
        """)

    /// Inserts a command; nil if the workspace has one of this name, or `limit` commands.
    func insert(
        in workspace: WorkspaceID, of bot: UserID, _ name: CommandName, description: String, hint: String?, url: String,
        seed: [UInt8], limit: Int, at now: Timestamp
    ) async throws -> Command? {
        try await database.transaction { tx in
            try await tx.lock(.commands(workspace))
            return try await tx.query(
                Self.insert, workspace, bot, name.text, description, hint, url, seed, now.milliseconds, limit
            ).first(Command.init(row:))
        }
    }

    /// The commands of a workspace by name.
    func list(of workspace: WorkspaceID) async throws -> [Command] {
        try await database.query(Self.list, workspace).map(Command.init(row:))
    }

    func find(_ id: CommandID, in workspace: WorkspaceID) async throws -> Command? {
        try await database.query(Self.byID, id, workspace).first(Command.init(row:))
    }

    func find(_ name: CommandName, in workspace: WorkspaceID) async throws -> Command? {
        try await database.query(Self.byName, workspace, name.text).first(Command.init(row:))
    }

    func delete(_ id: CommandID, in workspace: WorkspaceID) async throws {
        try await database.execute(Self.delete, id, workspace)
    }

    // MARK: Facts

    /// Deletes the commands of a bot that has left its workspace, with the runs that it has not answered.
    func forget(_ bot: UserID, in workspace: WorkspaceID) async throws {
        try await database.execute(Self.forgetBot, workspace, bot)
    }

    /// Deletes the commands of a workspace that is deleted.
    func forget(_ workspace: WorkspaceID) async throws { try await database.execute(Self.forgetWorkspace, workspace) }
}

extension Command {
    /// Reads the columns id, workspace, bot, name, description, hint, url, seed, created_at.
    fileprivate init(row: inout Row) throws(PostgresError) {
        id = try row.next()
        workspace = try row.next()
        bot = try row.next()
        name = CommandName(stored: try row.next())
        description = try row.next()
        hint = try row.next()
        url = try row.next()
        seed = try row.next()
        createdAt = try row.next()
    }
}

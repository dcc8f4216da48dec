import Contract
import Postgres
import Wire

/// The settings of workspaces, columns of the table `workspace`.
struct OptionsStore: Sendable {
    let database: PostgresPool

    private static let find = Statement.read(
        "settings of workspace", "select accepts_requests from workspace where id = $1")
    private static let change = Statement.write(
        "change settings of workspace",
        """
        update workspace set accepts_requests = coalesce($2, accepts_requests) where id = $1
        returning accepts_requests
        """)

    func find(_ workspace: WorkspaceID) async throws -> WorkspaceOptions? {
        try await database.query(Self.find, workspace).first(WorkspaceOptions.init(row:))
    }

    /// Changes the values that are not nil.
    func change(
        _ workspace: WorkspaceID, _ change: WorkspaceOptionsChange, in transaction: PostgresTransaction
    ) async throws -> WorkspaceOptions {
        try await transaction.query(Self.change, workspace, change.acceptsRequests).only(WorkspaceOptions.init(row:))
    }
}

extension WorkspaceOptions {
    /// Reads the column accepts_requests.
    fileprivate init(row: inout Row) throws(PostgresError) { acceptsRequests = try row.next() }
}

import Contract
import Postgres
import Wire

/// The settings of workspaces, columns of the table `workspace`.
struct OptionsStore: Sendable {
    let database: PostgresPool

    private static let find = Statement.read(
        "settings of workspace",
        "select accepts_requests, second_factor_from, second_factor_grace from workspace where id = $1")
    private static let change = Statement.write(
        "change settings of workspace",
        """
        update workspace set accepts_requests = coalesce($2, accepts_requests) where id = $1
        returning accepts_requests, second_factor_from, second_factor_grace
        """)

    func find(_ workspace: WorkspaceID) async throws -> WorkspaceOptions? {
        try await database.query(Self.find, workspace).first(WorkspaceOptions.init(row:))
    }

    /// Changes the value unless it is nil. Returns all settings; `SecondFactorRule` changes the others.
    func change(
        _ workspace: WorkspaceID, acceptsRequests: Bool?, in transaction: PostgresTransaction
    ) async throws -> WorkspaceOptions {
        try await transaction.query(Self.change, workspace, acceptsRequests).only(WorkspaceOptions.init(row:))
    }
}

extension WorkspaceOptions {
    /// Reads the columns accepts_requests, second_factor_from, second_factor_grace.
    fileprivate init(row: inout Row) throws(PostgresError) {
        acceptsRequests = try row.next()
        secondFactorFrom = try row.next()
        // The column keeps the grace of a rule that was lifted.
        let grace = Duration.milliseconds(try row.next(as: Int64.self))
        secondFactorGrace = secondFactorFrom == nil ? .zero : grace
    }
}

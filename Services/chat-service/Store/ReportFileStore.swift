import Contract
import Postgres
import Wire

/// The files of reported messages, and the copies of reported pictures. A report holds them: their content stays in the file
/// store until the report is erased.
///
/// A removal of files marks their records before it asks for holds, and a report holds only files without a mark. Both lock
/// the records, so that no file is removed that a report holds.
struct ReportFileStore: Sendable {
    let database: PostgresPool
    let leases: WorkspaceLeaseStore
    let pictures: ReportPictureStore

    private static let hold = Statement.write(
        "hold files of report",
        """
        insert into report_file (workspace, report, name, folder, display_name, size)
        select $3, $1, f.name, f.folder, f.display_name, f.size
        from (
            select name, folder, display_name, size from file
            where workspace = $3 and name = any($2::text[]) and not is_removed order by name for share
        ) f
        on conflict do nothing
        """)
    private static let find = Statement.read(
        "held file",
        """
        select h.name, h.folder, r.workspace, r.kind, r.room, h.display_name, h.size, r.is_for_operators, r.subject
        from report_file h join report r on r.workspace = h.workspace and r.id = h.report
        where h.name = $1
        order by r.is_for_operators, r.id
        """)
    private static let findOfReport = Statement.read(
        "held file of report",
        """
        select h.name, h.folder, r.workspace, r.kind, r.room, h.display_name, h.size, r.is_for_operators, r.subject
        from report_file h join report r on r.workspace = h.workspace and r.id = h.report
        where h.workspace = $3 and r.workspace = $3 and h.name = $1 and r.id = $2
        """)
    private static let lockExpired = Statement.write(
        "lock answered reports",
        """
        select id from report where workspace = $3 and action is not null and answered_at < $1
            and not exists (
                select from report_picture p
                where p.workspace = $3 and p.report = report.id and p.due_at is not null)
        order by answered_at, id limit $2 for update skip locked
        """)
    /// Removals of these files wait until the transaction ends, and then find no hold.
    private static let lockFiles = Statement.write(
        "lock files of reports",
        """
        select name from file
        where workspace = $2 and name in (
            select name from report_file where workspace = $2 and report = any($1::bigint[]))
        order by name for share
        """)
    private static let busy = Statement.read(
        "reports with files that are being removed",
        """
        select distinct h.report from report_file h join file f on f.name = h.name
        where h.workspace = $2 and f.workspace = $2 and h.report = any($1::bigint[]) and f.is_removed
        """)
    /// The files of deleted messages that only these reports hold.
    private static let released = Statement.read(
        "files that reports release",
        """
        select distinct h.folder || '/' || h.name from report_file h
        where h.workspace = $2 and h.report = any($1::bigint[])
            and not exists (select from file f where f.workspace = $2 and f.name = h.name)
            and not exists (
                select from report_file o where o.workspace = $2 and o.name = h.name and o.report <> all($1::bigint[]))
        """)
    private static let erase = Statement.write(
        "erase answered reports", "delete from report where workspace = $2 and id = any($1::bigint[])")
    private static let expired = Statement.read(
        "workspaces with answered reports",
        "select distinct workspace from report where action is not null and answered_at < $1")
    private static let expiredAmong = Statement.read(
        "workspaces with answered reports among some",
        """
        select distinct workspace from report
        where workspace = any($2::bigint[]) and action is not null and answered_at < $1
        """)

    /// A file of a report, with the queue of the report: that of its workspace or of operators.
    struct Held: Sendable {
        let file: FileRecord
        let isForOperators: Bool
        /// The reported user; 0 for a workspace.
        let subject: UserID
    }

    /// Holds files in the transaction that stores the report. Files that are being removed are left out.
    func hold(
        _ names: [String], for report: ReportID, of workspace: WorkspaceID, in tx: PostgresTransaction
    ) async throws {
        if !names.isEmpty { try await tx.execute(Self.hold, report, names, workspace) }
    }

    /// The reports that hold a file.
    func find(_ name: String) async throws -> [Held] {
        try await database.query(Self.find, name).map(Self.held)
    }

    /// The file of a report; nil if the report does not hold it.
    func find(_ name: String, of report: ReportID, in workspace: WorkspaceID) async throws -> Held? {
        try await database.query(Self.findOfReport, name, report, workspace).first(Self.held)
    }

    private static func held(_ row: inout Row) throws(PostgresError) -> Held {
        Held(file: try FileRecord(row: &row), isForOperators: try row.next(), subject: try row.next())
    }

    /// The workspaces with reports that were answered before a moment. While a part of a divided schema is out of reach, its are missing.
    func workspaces(answeredBefore moment: Timestamp) async throws -> [WorkspaceID] {
        try await leases.workspaces(by: Self.expired, among: Self.expiredAmong, before: moment)
    }

    /// Erases reports of a workspace that were answered before a moment, with their copies. Reports wait if a file of theirs is
    /// being removed, or their picture is still to be copied.
    ///
    /// - Parameter removing: removes files from the file store before the reports go, so that a crash leaves none behind.
    /// - Returns: how many were erased.
    func erase(
        of workspace: WorkspaceID, answeredBefore moment: Timestamp, limit: Int,
        removing: @Sendable ([String]) async throws -> Void
    ) async throws -> Int {
        try await database.transaction { tx in
            let found = try await tx.query(Self.lockExpired, moment.milliseconds, limit, workspace)
                .map { row throws(PostgresError) in try row.next(as: ReportID.self) }
            if found.isEmpty { return 0 }
            try await tx.execute(Self.lockFiles, found, workspace)
            let busy = Set(
                try await tx.query(Self.busy, found, workspace).map { row throws(PostgresError) in
                    try row.next(as: ReportID.self)
                })
            let ids = found.filter { !busy.contains($0) }
            let files = try await tx.query(Self.released, ids, workspace)
                .map { row throws(PostgresError) in try row.next(as: String.self) }
            if !files.isEmpty { try await removing(files) }
            try await pictures.drop(ids, of: workspace, in: tx)
            return Int(try await tx.execute(Self.erase, ids, workspace))
        }
    }
}

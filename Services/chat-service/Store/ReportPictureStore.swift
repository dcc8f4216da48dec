import Contract
import Postgres
import ServiceKit
import Wire

/// The pictures of reports. The copy of one is a file of its report: the table `report_file` has it once it is kept.
struct ReportPictureStore: Sendable {
    let database: PostgresPool

    private static let note = Statement.write(
        "note picture of report",
        """
        insert into report_picture (workspace, report, path, is_cover, name, due_at) values ($1, $2, $3, $4, $5, $6)
        on conflict on constraint report_picture_pkey do nothing
        """)
    private static let unnoted = Statement.read(
        "reports without noted pictures",
        """
        select r.workspace, r.id, r.subject_image, r.type = 3 from report r
        where r.subject_image like '/static/%' and not exists (
            select from report_picture p where p.workspace = r.workspace and p.report = r.id)
        order by r.id limit $1
        """)
    private static let unnotedAmong = Statement.read(
        "reports without noted pictures among some workspaces",
        """
        select r.workspace, r.id, r.subject_image, r.type = 3 from report r
        where r.workspace = any($2::bigint[]) and r.subject_image like '/static/%' and not exists (
            select from report_picture p
            where p.workspace = any($2::bigint[]) and p.workspace = r.workspace and p.report = r.id)
        order by r.id limit $1
        """)
    private static let forget = Statement.write(
        "forget pictures of erased reports",
        """
        delete from report_picture p
        where p.due_at is null
            and not exists (select from report r where r.workspace = p.workspace and r.id = p.report)
        """)
    private static let forgetAmong = Statement.write(
        "forget pictures of erased reports among some workspaces",
        """
        delete from report_picture p
        where p.workspace = any($1::bigint[]) and p.due_at is null and not exists (
            select from report r
            where r.workspace = any($1::bigint[]) and r.workspace = p.workspace and r.id = p.report)
        """)
    private static let workspaces = Statement.read(
        "workspaces with due pictures of reports", "select distinct workspace from report_picture where due_at <= $1")
    private static let workspacesAmong = Statement.read(
        "workspaces with due pictures of reports among some",
        "select distinct workspace from report_picture where workspace = any($2::bigint[]) and due_at <= $1")
    private static let due = Statement.read(
        "due pictures of reports",
        """
        select workspace, report, path, is_cover, name, attempts from report_picture
        where workspace = $1 and due_at <= $2 order by due_at, report limit $3
        """)
    private static let ofReports = Statement.read(
        "pictures of reports",
        """
        select report, name, is_cover, is_kept, due_at is not null from report_picture
        where workspace = $1 and report = any($2::bigint[])
        """)
    /// The report cannot be erased until the transaction ends.
    private static let lockReport = Statement.write(
        "lock report of picture", "select id from report where workspace = $1 and id = $2 for key share")
    private static let settle = Statement.write(
        "settle picture of report",
        """
        update report_picture set is_kept = $3, due_at = null
        where workspace = $1 and report = $2 and due_at is not null
        """)
    private static let hold = Statement.write(
        "hold picture of report",
        """
        insert into report_file (workspace, report, name, folder, display_name, size) values ($1, $2, $3, $4, $5, $6)
        on conflict do nothing
        """)
    private static let postpone = Statement.write(
        "postpone picture of report",
        """
        update report_picture set attempts = attempts + 1, due_at = $3
        where workspace = $1 and report = $2 and due_at is not null
        """)
    private static let drop = Statement.write(
        "drop pictures of reports", "delete from report_picture where workspace = $1 and report = any($2::bigint[])")

    /// Notes the picture of a report in the transaction that stores the report.
    func note(_ report: NewReport, as id: ReportID, at now: Timestamp, in tx: PostgresTransaction) async throws {
        guard let path = report.picture, let name = ReportPicture.newName(forPath: path) else { return }
        try await tx.execute(
            Self.note, report.workspace, id, path, report.kind == .workspace, name, now.milliseconds)
    }

    /// Notes the picture of an older report; one without a name as lost.
    func note(_ picture: PendingReportPicture, at now: Timestamp) async throws {
        let due: Int64? = picture.name.isEmpty ? nil : now.milliseconds
        try await database.execute(
            Self.note, picture.workspace, picture.report, picture.path, picture.isCover, picture.name, due)
    }

    /// The pictures of reports that are not noted, at most `limit` of all or of each part. One without a name is none that can be
    /// copied. While a part of a divided schema is out of reach, its are missing.
    func unnoted(limit: Int, by leases: WorkspaceLeaseStore) async throws -> [PendingReportPicture] {
        guard let finder = leases.finder else {
            return try await database.query(Self.unnoted, limit).map(Self.unnotedPicture)
        }
        return try await finder.find(
            .rooms, all: { tx in try await tx.query(Self.unnoted, limit).map(Self.unnotedPicture) },
            among: { tx, part in try await tx.query(Self.unnotedAmong, limit, part).map(Self.unnotedPicture) })
    }

    private static func unnotedPicture(_ row: inout Row) throws(PostgresError) -> PendingReportPicture {
        let (workspace, report): (WorkspaceID, ReportID) = (try row.next(), try row.next())
        let (path, isCover): (String, Bool) = (try row.next(), try row.next())
        return PendingReportPicture(
            workspace: workspace, report: report, path: path, isCover: isCover,
            name: ReportPicture.newName(forPath: path) ?? "")
    }

    /// Deletes the pictures of reports that an instance of the release before has erased, in the parts within reach. One that is to be
    /// copied may have a copy already, from before a crash: it goes with that copy.
    func forgetErased(by leases: WorkspaceLeaseStore) async throws {
        guard let finder = leases.finder else {
            try await database.execute(Self.forget)
            return
        }
        let all: Int? = try await finder.attemptLong { tx in try await tx.execute(Self.forget) }
        if all != nil { return }
        _ = try await finder.find(in: try await finder.list(of: .rooms)) { tx, part in
            [try await tx.execute(Self.forgetAmong, part)]
        }
    }

    /// The workspaces with due pictures. While a part of a divided schema is out of reach, its are missing.
    func workspacesWithDue(at now: Timestamp, by leases: WorkspaceLeaseStore) async throws -> [WorkspaceID] {
        try await leases.workspaces(by: Self.workspaces, among: Self.workspacesAmong, before: now)
    }

    func due(in workspace: WorkspaceID, at now: Timestamp, limit: Int) async throws -> [PendingReportPicture] {
        try await database.query(Self.due, workspace, now.milliseconds, limit).map { row throws(PostgresError) in
            PendingReportPicture(
                workspace: try row.next(), report: try row.next(), path: try row.next(), isCover: try row.next(),
                name: try row.next(), attempts: Int(try row.next(as: Int32.self)))
        }
    }

    /// Adds a stored copy to the files of its report. Returns false if the report has been erased meanwhile.
    func keep(_ picture: PendingReportPicture, size: Int) async throws -> Bool {
        let (workspace, report) = (picture.workspace, picture.report)
        return try await database.transaction { tx -> Bool in
            if try await tx.query(Self.lockReport, workspace, report).isEmpty { return false }
            // Another instance may have been as far.
            if try await tx.execute(Self.settle, workspace, report, true) == 1 {
                try await tx.execute(
                    Self.hold, workspace, report, picture.name, ReportPicture.folder,
                    ReportPicture.displayName(isCover: picture.isCover), Int64(size))
            }
            return true
        }
    }

    /// Gives a picture up.
    func lose(_ picture: PendingReportPicture) async throws {
        try await database.execute(Self.settle, picture.workspace, picture.report, false)
    }

    func postpone(_ picture: PendingReportPicture, to moment: Timestamp) async throws {
        try await database.execute(Self.postpone, picture.workspace, picture.report, moment.milliseconds)
    }

    /// Deletes the picture of a report that was erased, after its copy.
    func drop(_ picture: PendingReportPicture) async throws {
        try await database.execute(Self.drop, picture.workspace, [picture.report])
    }

    /// Deletes the pictures of reports in the transaction that erases the reports.
    func drop(_ reports: [ReportID], of workspace: WorkspaceID, in tx: PostgresTransaction) async throws {
        try await tx.execute(Self.drop, workspace, reports)
    }

    /// Adds the query of the pictures of reports of a workspace, the rows of which `read` reads.
    func add(_ reports: [ReportID], of workspace: WorkspaceID, to batch: inout PostgresBatch) throws {
        try batch.add(Self.ofReports, workspace, reports)
    }

    func read(_ rows: Rows) throws(PostgresError) -> [(report: ReportID, picture: ReportPicture)] {
        try rows.map { row throws(PostgresError) in
            let (report, name, isCover): (ReportID, String, Bool) = (try row.next(), try row.next(), try row.next())
            let (isKept, isWaiting): (Bool, Bool) = (try row.next(), try row.next())
            let state: ReportPicture.State = isKept ? .kept : isWaiting ? .waiting : .lost
            return (report, ReportPicture(name: name, isCover: isCover, state: state))
        }
    }
}

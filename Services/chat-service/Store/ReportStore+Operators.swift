import Contract
import Postgres
import ServiceKit
import Wire

/// The reports of all workspaces, for operators and for the watch of overdue reports.
extension ReportStore {
    private static let one = Statement.read(
        "report for operator",
        """
        select id, workspace, type, subject, subject_name, subject_image, kind, room, seq, reason, text, reporter,
            created_at, is_for_operators, action, answered_at
        from report where id = $1
        """)
    private static let oneAmong = Statement.read(
        "report for operator among some workspaces",
        """
        select id, workspace, type, subject, subject_name, subject_image, kind, room, seq, reason, text, reporter,
            created_at, is_for_operators, action, answered_at
        from report where workspace = any($2::bigint[]) and id = $1
        """)
    private static let list = Statement.read(
        "reports for operators",
        """
        select id, workspace, type, subject, subject_name, subject_image, kind, room, seq, reason, text, reporter,
            created_at, is_for_operators, action, answered_at
        from report where (action is null) = $1 and id > $2 and (is_for_operators or created_at < $3)
        order by id limit $4
        """)
    private static let listAmong = Statement.read(
        "reports for operators among some workspaces",
        """
        select id, workspace, type, subject, subject_name, subject_image, kind, room, seq, reason, text, reporter,
            created_at, is_for_operators, action, answered_at
        from report
        where workspace = any($5::bigint[]) and (action is null) = $1 and id > $2 and (is_for_operators or created_at < $3)
        order by id limit $4
        """)
    private static let overdue = Statement.read(
        "overdue reports", "select count(*) from report where action is null and created_at < $1")
    private static let length = Statement.read(
        "open reports",
        """
        select count(*), min(created_at)
        from (select created_at from report where action is null order by id limit $1) as waiting
        """)

    /// Nil if there is no such report.
    ///
    /// - Throws: E99 if a part of a divided schema is out of reach, and no other has the report.
    func findForOperator(_ id: ReportID) async throws -> Report? {
        guard let found = try await findBare(id) else { return nil }
        return try await filled([found]).first
    }

    /// The workspace of a report; see `findForOperator`.
    func workspace(of id: ReportID) async throws -> WorkspaceID? { try await findBare(id)?.workspace }

    /// A report without its copies.
    private func findBare(_ id: ReportID) async throws -> Report? {
        guard let finder else { return try await database.query(Self.one, id).first(Self.report) }
        return try await finder.findOne(
            all: { tx in try await tx.query(Self.one, id).first(Self.report) },
            among: { tx, part in try await tx.query(Self.oneAmong, id, part).first(Self.report) })
    }

    /// The reports that operators answer and those from before a moment, in the order of their arrival, after one. While a part of a
    /// divided schema is out of reach, its are missing.
    ///
    /// - Returns: also whether none is missing.
    func listForOperators(
        isOpen: Bool, after id: Int64, notBefore moment: Timestamp, limit: Int
    ) async throws -> (reports: [Report], isComplete: Bool) {
        let moment = moment.milliseconds
        guard let finder else {
            let found = try await database.query(Self.list, isOpen, id, moment, limit).map(Self.report)
            return (try await filled(found), true)
        }
        // The copies are large. They are read afterwards, without the time limit of the finder.
        let (found, isComplete) = try await finder.search(
            .rooms, and: [], all: { tx in try await tx.query(Self.list, isOpen, id, moment, limit).map(Self.report) },
            among: { tx, part in
                try await tx.query(Self.listAmong, isOpen, id, moment, limit, part).map(Self.report)
            })
        // Each part has its first ones.
        let first = found.sorted { $0.id.rawValue < $1.id.rawValue }.prefix(limit)
        return (try await filled(Array(first)), isComplete)
    }

    /// How many open reports are from before a moment.
    func countOpen(before moment: Timestamp) async throws -> Int64 {
        try await database.query(Self.overdue, moment.milliseconds).value()
    }

    func length() async throws -> QueueLength {
        try await database.query(Self.length, QueueLength.mostCounted).first { row throws(PostgresError) in
            QueueLength(rows: Int(try row.next(as: Int64.self)), oldest: try row.next())
        } ?? QueueLength(rows: 0, oldest: nil)
    }
}

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
    private static let list = Statement.read(
        "reports for operators",
        """
        select id, workspace, type, subject, subject_name, subject_image, kind, room, seq, reason, text, reporter,
            created_at, is_for_operators, action, answered_at
        from report where (action is null) = $1 and id > $2 and (is_for_operators or created_at < $3)
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

    func findForOperator(_ id: ReportID) async throws -> Report? {
        try await read(try await database.query(Self.one, id)).first
    }

    /// The reports that operators answer and those from before a moment, in the order of their arrival, after one.
    func listForOperators(
        isOpen: Bool, after id: Int64, notBefore moment: Timestamp, limit: Int
    ) async throws -> [Report] {
        try await read(try await database.query(Self.list, isOpen, id, moment.milliseconds, limit))
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

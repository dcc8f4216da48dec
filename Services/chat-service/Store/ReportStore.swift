import Contract
import Postgres
import ServiceKit
import Wire

/// Reports and their copies.
struct ReportStore: Sendable {
    let database: PostgresPool
    let files: ReportFileStore

    init(database: PostgresPool) {
        self.database = database
        files = ReportFileStore(database: database)
    }

    /// Returns the open report of the same reporter about the same subject, if there is one.
    private static let insert = Statement.write(
        "insert report",
        """
        with new as (
            insert into report (workspace, type, subject, kind, room, seq, reason, text, subject_name, subject_image,
                reporter, created_at, is_for_operators)
            select $1::bigint, $2::smallint, $3::bigint, $4::smallint, $5::bigint, $6::bigint, $7::text, $8::text, $9::text,
                $10::text, $11::bigint, $12::bigint, $13::boolean
            where (select count(*) from report where reporter = $11 and created_at > $12 - 86400000) < $14
            on conflict (reporter, workspace, type, subject, kind, room, seq) where action is null do nothing
            returning id
        ), copied as (
            insert into report_copy (report, seq, author, nickname, content, files, sent_at, edited_at)
            select new.id, c.seq, c.author, c.nickname, c.content,
                case when c.files = '' then '{}' else string_to_array(c.files, chr(10)) end, c.sent_at, c.edited_at
            from new, unnest($15::bigint[], $16::bigint[], $17::text[], $18::text[], $19::text[], $20::bigint[],
                $21::bigint[]) as c (seq, author, nickname, content, files, sent_at, edited_at)
        )
        select id from new
        union all
        select id from report
        where reporter = $11 and workspace = $1 and type = $2 and subject = $3 and kind = $4 and room = $5 and seq = $6
            and action is null
        limit 1
        """)
    private static let one = Statement.read(
        "report",
        """
        select id, workspace, type, subject, subject_name, subject_image, kind, room, seq, reason, text, reporter,
            created_at, is_for_operators, action, answered_at
        from report where id = $1
        """)
    private static let list = Statement.read(
        "reports",
        """
        select id, workspace, type, subject, subject_name, subject_image, kind, room, seq, reason, text, reporter,
            created_at, is_for_operators, action, answered_at
        from report
        where ($1::bigint is null or workspace = $1 and not is_for_operators) and (action is null) = $2 and id > $3
            and ($4::bigint is null or is_for_operators or created_at < $4)
        order by id limit $5
        """)
    private static let copies = Statement.read(
        "copies of reports",
        """
        select report, seq, author, nickname, content, files, sent_at, edited_at from report_copy
        where report = any($1::bigint[]) order by report, seq
        """)
    /// Answers the report, and with a deletion the other open reports of the same message. A warning counts once.
    private static let answer = Statement.write(
        "answer report",
        """
        with answered as (
            update report set action = $2, answered_at = $3, answered_by = $4 where id = $1 and action is null returning *
        ), others as (
            update report r set action = $2, answered_at = $3, answered_by = $4
            from answered a
            where $2 = 2 and r.kind = a.kind and r.room = a.room and r.seq = a.seq and r.type = 1 and r.action is null
                and r.id <> a.id
        ), warned as (
            insert into standing (workspace, user_id, warnings, warned_at)
            select workspace, subject, 1, $3 from answered where $2 = 3
            on conflict (workspace, user_id) do update
            set warnings = standing.warnings + 1, warned_at = excluded.warned_at
        )
        select count(*) from answered
        """)
    private static let overdue = Statement.read(
        "overdue reports", "select count(*) from report where action is null and created_at < $1")
    private static let length = Statement.read(
        "open reports",
        """
        select count(*), min(created_at)
        from (select created_at from report where action is null order by id limit $1) as waiting
        """)
    /// Stores a report, which holds the files of its messages, and returns its id; nil if the reporter has made too many in a day.
    func insert(_ report: NewReport, limit: Int, at now: Timestamp) async throws -> ReportID? {
        let names = report.copies.flatMap(\.files).compactMap(FileRecord.name(inPath:))
        if names.isEmpty { return try await insert(report, limit: limit, at: now, in: database) }
        return try await database.transaction { tx in
            guard let id = try await insert(report, limit: limit, at: now, in: tx) else { return nil }
            try await files.hold(names, for: id, in: tx)
            return id
        }
    }

    private func insert(
        _ report: NewReport, limit: Int, at now: Timestamp, in queryable: some Queryable
    ) async throws -> ReportID? {
        let copies = report.copies
        return try await queryable.query(
            Self.insert, report.workspace, report.kind.rawValue, report.subject?.id.rawValue ?? 0,
            report.message?.room.kindNumber ?? 0, report.message?.room.rawValue ?? 0, report.message?.seq ?? 0,
            report.reason.rawValue, report.text, report.subject?.nickname, report.subject?.profileImage,
            report.reporter, now.milliseconds, report.isForOperators, limit, copies.map(\.seq), copies.map(\.author),
            copies.map(\.nickname), copies.map(\.content), copies.map { $0.files.joined(separator: "\n") },
            copies.map(\.sentAt.milliseconds), copies.map { $0.editedAt?.milliseconds }
        ).first { row throws(PostgresError) in try row.next() }
    }

    func find(_ id: ReportID) async throws -> Report? {
        var found = try await database.query(Self.one, id).map(Self.report)
        try await fill(&found)
        return found.first
    }

    /// Reports in the order of their arrival, after one.
    ///
    /// - Parameters:
    ///   - workspace: only those that its owner answers; nil for all.
    ///   - moment: only those that operators answer, and those from before this time; nil for all.
    func list(
        in workspace: WorkspaceID?, isOpen: Bool, after id: Int64, notBefore moment: Timestamp?, limit: Int
    ) async throws -> [Report] {
        var found = try await database.query(
            Self.list, workspace, isOpen, id, moment?.milliseconds, limit
        ).map(Self.report)
        try await fill(&found)
        return found
    }

    /// Answers an open report; returns false if it has been answered.
    func answer(_ id: ReportID, _ action: Report.Action, by user: UserID?, at now: Timestamp) async throws -> Bool {
        try await database.query(Self.answer, id, action.rawValue, now.milliseconds, user)
            .value(as: Int64.self) == 1
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

    private func fill(_ reports: inout [Report]) async throws {
        let ids = reports.filter { $0.kind == .message }.map(\.id)
        if ids.isEmpty { return }
        var copies: [ReportID: [Report.Copy]] = [:]
        for var row in try await database.query(Self.copies, ids) {
            let id: ReportID = try row.next()
            copies[id, default: []].append(
                Report.Copy(
                    seq: try row.next(), author: try row.next(), nickname: try row.next(), content: try row.next(),
                    files: try row.next(), sentAt: try row.next(), editedAt: try row.next()))
        }
        for index in reports.indices { reports[index].copies = copies[reports[index].id] ?? [] }
    }

    private static func report(_ row: inout Row) throws(PostgresError) -> Report {
        let (id, workspace): (ReportID, WorkspaceID) = (try row.next(), try row.next())
        let (kind, subject): (Int16, Int64) = (try row.next(), try row.next())
        let (name, image): (String?, String?) = (try row.next(), try row.next())
        let key = MessageKey(RoomKey(workspace: workspace, id: try row.nextRoom()), seq: try row.next())
        let (reason, text): (String, String) = (try row.next(), try row.next())
        let (reporter, createdAt): (UserID?, Timestamp) = (try row.next(), try row.next())
        let (isForOperators, action): (Bool, Int16?) = (try row.next(), try row.next())
        let answeredAt: Timestamp? = try row.next()
        return Report(
            id: id, workspace: workspace, kind: Report.Kind(rawValue: kind) ?? .message,
            subject: subject > 0
                ? Report.Subject(user: UserID(subject), nickname: name, profileImage: image) : nil,
            message: key.seq > 0 ? key : nil, reason: Report.Reason(rawValue: reason) ?? .other, text: text,
            reporter: reporter, createdAt: createdAt, isForOperators: isForOperators,
            answer: action.flatMap(Report.Action.init(rawValue:)).map {
                Report.Answer(action: $0, at: answeredAt ?? createdAt)
            })
    }
}

import Contract
import Postgres
import ServiceKit
import Wire

/// Reports and their copies.
struct ReportStore: Sendable {
    let database: PostgresPool
    let files: ReportFileStore
    let pictures: ReportPictureStore
    let leases: WorkspaceLeaseStore
    /// Finds reports for operators; nil for tables on one server.
    let finder: WorkspaceFinder?

    /// - Parameter sweeps: finds the work of background jobs; nil for tables on one server.
    init(database: PostgresPool, finder: WorkspaceFinder? = nil, sweeps: WorkspaceFinder? = nil) {
        self.database = database
        self.finder = finder
        leases = WorkspaceLeaseStore(database: database, finder: sweeps)
        pictures = ReportPictureStore(database: database)
        files = ReportFileStore(database: database, leases: leases, pictures: pictures)
    }

    private static let insert = Statement.write(
        "insert report",
        """
        insert into report (workspace, type, subject, kind, room, seq, reason, text, subject_name, subject_image, reporter,
            created_at, is_for_operators)
        select $1::bigint, $2::smallint, $3::bigint, $4::smallint, $5::bigint, $6::bigint, $7::text, $8::text, $9::text,
            $10::text, $11::bigint, $12::bigint, $13::boolean
        where (select count(*) from report where reporter = $11 and created_at > $12 - 86400000) < $14
        on conflict (reporter, workspace, type, subject, kind, room, seq) where action is null do nothing
        returning id
        """)
    private static let copy = Statement.write(
        "copy reported messages",
        """
        insert into report_copy (workspace, report, seq, author, nickname, content, files, sent_at, edited_at)
        select $1, $2, seq, author, nickname, content,
            case when files = '' then '{}' else string_to_array(files, chr(10)) end, sent_at, edited_at
        from unnest($3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::bigint[])
            as copy (seq, author, nickname, content, files, sent_at, edited_at)
        """)
    private static let known = Statement.read(
        "open report of reporter",
        """
        select id from report
        where reporter = $7 and workspace = $1 and type = $2 and subject = $3 and kind = $4 and room = $5 and seq = $6
            and action is null
        """)
    private static let one = Statement.read(
        "report",
        """
        select id, workspace, type, subject, subject_name, subject_image, kind, room, seq, reason, text, reporter,
            created_at, is_for_operators, action, answered_at
        from report where workspace = $1 and id = $2
        """)
    private static let list = Statement.read(
        "reports",
        """
        select id, workspace, type, subject, subject_name, subject_image, kind, room, seq, reason, text, reporter,
            created_at, is_for_operators, action, answered_at
        from report
        where workspace = $1 and not is_for_operators and (action is null) = $2 and id > $3 and subject <> $5
        order by id limit $4
        """)
    private static let copies = Statement.read(
        "copies of reports",
        """
        select report, seq, author, nickname, content, files, sent_at, edited_at from report_copy
        where workspace = $1 and report = any($2::bigint[]) order by report, seq
        """)
    private static let answer = Statement.write(
        "answer report",
        """
        update report set action = $3, answered_at = $4, answered_by = $5
        where workspace = $1 and id = $2 and action is null
        """)
    /// In one order, because each of two deletions of a message answers the report of the other one.
    private static let lockOthers = Statement.write(
        "lock reports of message",
        """
        select id from report
        where workspace = $1 and kind = $2 and room = $3 and seq = $4 and type = 1 and action is null
        order by id for update
        """)
    private static let answerOthers = Statement.write(
        "answer other reports of message",
        """
        update report set action = $5, answered_at = $6, answered_by = $7
        where workspace = $1 and kind = $2 and room = $3 and seq = $4 and type = 1 and action is null
        """)
    private static let warn = Statement.write(
        "warn member",
        """
        insert into standing (workspace, user_id, warnings, warned_at) values ($1, $2, 1, $3)
        on conflict (workspace, user_id) do update
            set warnings = standing.warnings + 1, warned_at = excluded.warned_at
        """)

    /// Stores a report, which holds the files of its messages and notes its picture, and returns its id. Returns the open report
    /// of the same reporter about the same subject, if there is one; nil if the reporter has made too many in a day.
    func insert(_ report: NewReport, limit: Int, at now: Timestamp) async throws -> ReportID? {
        let workspace = report.workspace
        let (subject, message) = (report.subject?.id.rawValue ?? 0, report.message)
        let (kind, room, seq) = (message?.kindNumber ?? 0, message?.roomNumber ?? 0, message?.seq ?? 0)
        return try await database.transaction { tx -> ReportID? in
            let id = try await tx.query(
                Self.insert, workspace, report.kind.rawValue, subject, kind, room, seq, report.reason.rawValue,
                report.text, report.subject?.nickname ?? report.workspaceCopy?.name,
                report.subject?.profileImage ?? report.workspaceCopy?.image, report.reporter,
                now.milliseconds, report.isForOperators, limit
            ).first { row throws(PostgresError) in try row.next(as: ReportID.self) }
            guard let id else {
                return try await tx.query(
                    Self.known, workspace, report.kind.rawValue, subject, kind, room, seq, report.reporter
                ).first { row throws(PostgresError) in try row.next() }
            }
            if !report.copies.isEmpty { try await copy(report.copies, into: id, of: workspace, in: tx) }
            try await pictures.note(report, as: id, at: now, in: tx)
            return id
        }
    }

    private func copy(
        _ copies: [Report.Copy], into id: ReportID, of workspace: WorkspaceID, in tx: PostgresTransaction
    ) async throws {
        try await tx.execute(
            Self.copy, workspace, id, copies.map(\.seq), copies.map(\.author), copies.map(\.nickname),
            copies.map(\.content), copies.map { $0.files.joined(separator: "\n") }, copies.map(\.sentAt.milliseconds),
            copies.map { $0.editedAt?.milliseconds })
        let names = copies.flatMap(\.files).compactMap(FileRecord.name(inPath:))
        try await files.hold(names, for: id, of: workspace, in: tx)
    }

    func find(_ id: ReportID, in workspace: WorkspaceID) async throws -> Report? {
        try await read(try await database.query(Self.one, workspace, id)).first
    }

    /// The reports that the owner of a workspace answers, in the order of their arrival, after one.
    ///
    /// - Parameter user: without those about this one.
    func list(
        in workspace: WorkspaceID, notAbout user: UserID, isOpen: Bool, after id: Int64, limit: Int
    ) async throws -> [Report] {
        try await read(try await database.query(Self.list, workspace, isOpen, id, limit, user))
    }

    /// Answers an open report, and with a deletion the other open reports of the same message. A warning counts once. Returns
    /// false if the report has been answered.
    func answer(_ report: Report, _ action: Report.Action, by user: UserID?, at now: Timestamp) async throws -> Bool {
        let workspace = report.workspace
        return try await database.transaction { tx in
            if action == .delete, let key = report.message {
                try await tx.query(Self.lockOthers, workspace, key.kindNumber, key.roomNumber, key.seq)
            }
            let count = try await tx.execute(
                Self.answer, workspace, report.id, action.rawValue, now.milliseconds, user)
            guard count == 1 else { return false }
            if action == .delete, let key = report.message {
                try await tx.execute(
                    Self.answerOthers, workspace, key.kindNumber, key.roomNumber, key.seq, action.rawValue,
                    now.milliseconds, user)
            }
            if action == .warn, let subject = report.subject {
                try await tx.execute(Self.warn, workspace, subject.user, now.milliseconds)
            }
            return true
        }
    }

    /// Reads reports with their copies.
    private func read(_ rows: Rows) async throws -> [Report] { try await filled(try rows.map(Self.report)) }

    /// Reports with their copies, each of which is in the workspace of its report.
    func filled(_ found: [Report]) async throws -> [Report] {
        if found.isEmpty { return [] }
        var reports = found
        var batch = PostgresBatch()
        for (workspace, reports) in Dictionary(grouping: reports, by: \.workspace) {
            try batch.add(Self.copies, workspace, reports.map(\.id))
            try pictures.add(reports.map(\.id), of: workspace, to: &batch)
        }
        var evidence: [ReportID: Report.Evidence] = [:]
        for (index, rows) in try await database.run(batch).enumerated() {
            if index.isMultiple(of: 2) {
                for var row in rows {
                    let id: ReportID = try row.next()
                    evidence[id, default: .init()].messages.append(try Self.copy(&row))
                }
            } else {
                for (id, picture) in try pictures.read(rows) { evidence[id, default: .init()].picture = picture }
            }
        }
        for index in reports.indices { reports[index].evidence = evidence[reports[index].id] ?? .init() }
        return reports
    }

    private static func copy(_ row: inout Row) throws(PostgresError) -> Report.Copy {
        Report.Copy(
            seq: try row.next(), author: try row.next(), nickname: try row.next(), content: try row.next(),
            files: try row.next(), sentAt: try row.next(), editedAt: try row.next())
    }

    /// Reads a report without its copies.
    static func report(_ row: inout Row) throws(PostgresError) -> Report {
        let (id, workspace): (ReportID, WorkspaceID) = (try row.next(), try row.next())
        let (type, subject): (Int16, Int64) = (try row.next(), try row.next())
        let kind = Report.Kind(rawValue: type) ?? .message
        let (name, image): (String?, String?) = (try row.next(), try row.next())
        let key = MessageKey(RoomKey(workspace: workspace, id: try row.nextRoom()), seq: try row.next())
        let reason = Report.Reason(rawValue: try row.next()) ?? .other
        let complaint = Report.Complaint(reason: reason, text: try row.next())
        let (reporter, createdAt): (UserID?, Timestamp) = (try row.next(), try row.next())
        let (isForOperators, action): (Bool, Int16?) = (try row.next(), try row.next())
        let answeredAt: Timestamp? = try row.next()
        return Report(
            id: id, workspace: workspace, kind: kind,
            subject: subject > 0
                ? Report.Subject(user: UserID(subject), nickname: name, profileImage: image) : nil,
            workspaceCopy: kind == .workspace ? name.map { Report.WorkspaceCopy(name: $0, image: image) } : nil,
            message: key.seq > 0 ? key : nil, complaint: complaint,
            reporter: reporter, createdAt: createdAt, isForOperators: isForOperators,
            answer: action.flatMap(Report.Action.init(rawValue:)).map {
                Report.Answer(action: $0, at: answeredAt ?? createdAt)
            })
    }
}

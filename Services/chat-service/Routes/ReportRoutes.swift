import Contract
import HTTP
import ServiceKit
import Wire

/// Reports: making them, and the queues of owners and operators.
struct ReportRoutes: Sendable {
    let reports: Reports

    private static let longestText = 1000
    private static let operatorsLimit = 200

    func register(in routes: inout PublicRoutes) {
        let path = "/v1/workspaces/{id}/reports"
        routes.native(.post, "/v1/reports", report)
        routes.native(.get, path, list)
        routes.native(.put, path + "/{report_id}", answer)
    }

    func register(in routes: inout InternalRoutes) {
        routes.add(.get, "/internal/reports", listForOperators)
        routes.add(.put, "/internal/reports/{report_id}", answerAsOperator)
        routes.add(.get, "/internal/reports/{report_id}/files/{name}", fileForOperators)
    }

    func register(in routes: inout OperatorRoutes) {
        routes.look("reports.list", "/operator/reports", listForOperators)
        routes.look("reports.show", "/operator/reports/{report_id}", show)
        routes.look("reports.file", "/operator/reports/{report_id}/files/{name}", fileForOperators)
        routes.act("reports.answer", .put, "/operator/reports/{report_id}/{action}", answerByPath)
    }

    // MARK: Members

    private func report(_ call: Call, _ caller: Caller) async throws -> Response {
        let fields = try await call.fields()
        guard let reason = Report.Reason(rawValue: try fields.text("reason")) else {
            throw Failure.invalid(
                "reason must be one of \(Report.Reason.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        let text = try fields.optionalText("text") ?? ""
        guard text.isEmpty || text.hasLength(in: 1...Self.longestText) else {
            throw Failure.invalid("text must have at most \(Self.longestText) characters.")
        }
        let report = try await reports.report(try Self.subject(in: fields), reason, text: text, by: caller.user)
        return call.created(ReportView(report: report, detail: .none, term: reports.limits.term))
    }

    private static func subject(in fields: Fields) throws -> Reports.Subject {
        switch Report.Kind(try fields.text("type")) {
        case .message?:
            guard let room = RoomID(try fields.text("room")) else { throw Failure.invalid("room is not valid.") }
            return .message(room, seq: Int64(try fields.number("seq")))
        case .user?: return .user(try fields.id("user_id"), try fields.id("workspace_id"))
        case .workspace?: return .workspace(try fields.id("workspace_id"))
        case nil: throw Failure.invalid("type must be message, user or workspace.")
        }
    }

    // MARK: Owners

    private func list(_ call: Call, _ caller: Caller) async throws -> Response {
        let limit = try call.listLimit()
        let found = try await reports.list(
            in: try call.id("id"), for: caller.user, isOpen: try Self.isOpen(try call.query("state")),
            after: try call.numericCursor() ?? 0, limit: limit)
        return call.reply(ReportPage(reports: found, limit: limit, detail: .forOwner, term: reports.limits.term))
    }

    private func answer(_ call: Call, _ caller: Caller) async throws -> Response {
        let action = try Self.action(try await call.fields().text("action"))
        let report = try await reports.answer(
            try call.id("report_id"), in: try call.id("id"), action, by: caller.user,
            from: call.origin(of: caller))
        return call.reply(ReportView(report: report, detail: .forOwner, term: reports.limits.term))
    }

    // MARK: Operators

    private func listForOperators(_ call: InternalCall) async throws -> Response {
        let (found, isComplete) = try await reports.listForOperators(
            isOpen: try Self.isOpen(try call.query("state")),
            after: try call.number("cursor", in: 0...Int64.max) ?? 0, limit: Self.operatorsLimit)
        let page = ReportPage(
            reports: found, limit: Self.operatorsLimit, detail: .forOperators, term: reports.limits.term,
            isComplete: isComplete)
        return call.reply { $0.view(page, for: .ofNobody) }
    }

    private func answerAsOperator(_ call: InternalCall) async throws -> Response {
        let action = try Self.action(try await call.json()["action"]?.string ?? "")
        return reply(try await reports.answerAsOperator(try call.id("report_id"), action), call)
    }

    private func show(_ call: InternalCall) async throws -> Response {
        guard let report = try await reports.store.findForOperator(try call.id("report_id")) else {
            throw Failure.notFound
        }
        return reply(report, call)
    }

    private func answerByPath(_ call: InternalCall) async throws -> Response {
        let action = try Self.action(try call.text("action"))
        return reply(try await reports.answerAsOperator(try call.id("report_id"), action), call)
    }

    private func reply(_ report: Report, _ call: InternalCall) -> Response {
        call.reply {
            $0.view(ReportView(report: report, detail: .forOperators, term: reports.limits.term), for: .ofNobody)
        }
    }

    /// A file of a reported message or the copy of a picture, by the last part of its path in the report.
    private func fileForOperators(_ call: InternalCall) async throws -> Response {
        let path = try call.text("name")
        guard let name = FileRecord.name(inPath: path),
            let record = try await reports.fileForOperators(name, of: try call.id("report_id"))
        else { throw Failure.notFound }
        return try await call.file(record.storeName, in: reports.changes.attachments.files, title: record.title)
    }

    private static func isOpen(_ state: String?) throws(Failure) -> Bool {
        switch state {
        case nil, "", "open": true
        case "answered": false
        default: throw .invalid("state must be open or answered.")
        }
    }

    private static func action(_ text: String) throws(Failure) -> Report.Action {
        guard let action = Report.Action(text) else {
            throw .invalid("action must be dismiss, delete, warn or remove.")
        }
        return action
    }
}

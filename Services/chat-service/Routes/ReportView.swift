import Contract
import Wire

/// Writes a report for its reporter, for an owner or for operators.
struct ReportView: View {
    enum Detail: Sendable {
        /// The reporter is told that the report has arrived, and nothing more.
        case none
        /// Owners see the reported messages, but not the reporter.
        case forOwner
        case forOperators
    }

    let report: Report
    let detail: Detail
    /// How long an open report may wait.
    let term: Duration

    func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in
            json.field("report_id", report.id, for: profile)
            json.field("type", report.kind.text)
            json.field("reason", report.complaint.reason.rawValue)
            json.field("text", report.complaint.text)
            json.field("createdAt", report.createdAt)
            json.field("state", report.answer == nil ? "open" : "answered")
            if detail == .none { return }
            writeDetail(to: &json, for: profile)
        }
    }

    private func writeDetail(to json: inout JSONWriter, for profile: ClientProfile) {
        json.field("workspace_id", report.workspace, for: profile)
        json.field("dueAt", report.createdAt + term)
        if let answer = report.answer {
            json.field("action", answer.action.text)
            json.field("answeredAt", answer.at)
        }
        if detail == .forOperators, let reporter = report.reporter {
            json.field("reporter_id", reporter, for: profile)
        }
        if let subject = report.subject {
            json.object("user") { json in
                json.field("user_id", subject.user, for: profile)
                json.field("nickname", subject.nickname)
                json.field("profileImage", subject.profileImage)
            }
        }
        if let copy = report.workspaceCopy {
            json.object("workspace") { json in
                json.field("name", copy.name)
                json.field("image", copy.image)
            }
        }
        if let picture = report.evidence.picture {
            json.object("picture") { json in
                json.field("state", picture.state.rawValue)
                if let path = picture.path { json.field("path", path) }
            }
        }
        guard let key = report.message else { return }
        json.field("room", key.room.description)
        json.field("seq", key.seq)
        json.array("messages") { json in
            for copy in report.evidence.messages {
                json.object { json in
                    json.field("seq", copy.seq)
                    json.field("user_id", copy.author, for: profile)
                    json.field("nickname", copy.nickname)
                    json.field("content", copy.content)
                    json.field("files", copy.files)
                    json.field("createdAt", copy.sentAt)
                    if let editedAt = copy.editedAt { json.field("editedAt", editedAt) }
                }
            }
        }
    }
}

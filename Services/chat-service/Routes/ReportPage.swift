import Contract
import Wire

/// Writes a page of reports.
struct ReportPage: View {
    let reports: [Report]
    /// The most reports of a page.
    let limit: Int
    let detail: ReportView.Detail
    /// How long an open report may wait.
    let term: Duration
    /// Whether no report is missing. Nil for an owner, whose reports are in one place.
    var isComplete: Bool?

    func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in
            json.field("items", reports.map { ReportView(report: $0, detail: detail, term: term) }, for: profile)
            json.field("next", reports.count == limit ? reports.last?.id.description : nil)
            if let isComplete { json.field("complete", isComplete) }
        }
    }
}

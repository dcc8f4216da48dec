import ServiceKit

/// The settings of reports.
extension ReportLimits {
    private static let userReportsKey = ConfigKey(
        "user_daily_reports", default: 50, atLeast: 1, "Reports of one user in 24 hours.")
    private static let reportTermKey = ConfigKey(
        "report_term", default: Duration.seconds(86_400), atLeast: .seconds(60),
        "How long an open report may wait before it is overdue and operators see it too.")
    private static let reportRetentionKey = ConfigKey(
        "report_retention", default: Duration.seconds(90 * 86_400), atLeast: .seconds(3600),
        "How long an answered report is kept, with its copies of messages and pictures.")

    static let settings = [userReportsKey.entry, reportTermKey.entry, reportRetentionKey.entry]

    init(_ config: Config) {
        self.init(
            ofUserPerDay: config[Self.userReportsKey], term: config[Self.reportTermKey],
            retention: config[Self.reportRetentionKey])
    }
}

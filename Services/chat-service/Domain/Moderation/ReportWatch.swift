import Contract
import EventLoop
import ServiceKit
import Synchronization
import Telemetry
import Wire

/// Counts the overdue reports for the metrics page, and erases answered reports after their retention.
final class ReportWatch: Sendable {
    private let store: ReportStore
    private let files: any FileStore
    private let limits: ReportLimits
    private let overdue = Mutex<Int64>(0)

    private static let pageSize = 100

    init(store: ReportStore, files: any FileStore, limits: ReportLimits) {
        self.store = store
        self.files = files
        self.limits = limits
    }

    /// Called every few seconds.
    func count() async throws {
        let found = try await store.countOpen(before: .now - limits.term)
        overdue.withLock { $0 = found }
    }

    /// Called every hour.
    func erase() async throws {
        let moment = Timestamp.now - limits.retention
        let workspaces = try await store.files.workspaces(answeredBefore: moment)
        try await store.leases.each(of: workspaces, for: .reports) { workspace in
            while try await erase(of: workspace, answeredBefore: moment) == Self.pageSize {}
        }
    }

    private func erase(of workspace: WorkspaceID, answeredBefore moment: Timestamp) async throws -> Int {
        try await store.files.erase(of: workspace, answeredBefore: moment, limit: Self.pageSize) { [files] names in
            try await files.remove(names)
        }
    }
}

extension ReportWatch: MetricsSource {
    func write(to page: inout MetricsPage) {
        page.begin("maru_reports_overdue", .gauge, "Open reports that are older than their term.")
        page.value(Double(overdue.withLock(\.self)))
    }
}

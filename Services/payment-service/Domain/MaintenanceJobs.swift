import ServiceKit
import Telemetry

/// Periodic jobs: expired reserves, interrupted attempts, reconciliation. Every instance runs them, and locks in the
/// database keep instances from doing the same work twice.
struct MaintenanceJobs: Sendable {
    let ledger: Ledger
    let payments: Payments
    let reconciliation: Reconciliation
    let reconciliationInterval: Duration
    let metrics: DifferenceMetrics
    let log: Log

    private static let batch = 100

    /// Expires due reserves.
    func expireReserves() async throws { try await ledger.expireDue(page: Self.batch) }

    /// Resumes due attempts.
    func resumeAttempts() async throws {
        while try await payments.resumeDue(atMost: Self.batch) == Self.batch {}
    }

    /// Runs a reconciliation if one is due.
    func reconcile() async throws {
        guard try await reconciliation.claimIfDue(every: reconciliationInterval) else { return }
        let outcome = try await reconciliation.run()
        let fields: Log.Fields = [
            "payments": .count(outcome.payments), "differences": .count(outcome.differences.count),
        ]
        if outcome.differences.isEmpty {
            log.info("reconciliation found no differences", fields)
        } else {
            log.warning("reconciliation found differences", fields)
        }
    }

    /// Updates the metric of unresolved differences, whichever instance found them.
    func countDifferences() async throws { metrics.show(try await reconciliation.counts()) }
}

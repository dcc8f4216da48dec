import EventLoop
import ServiceKit
import Telemetry

/// Periodic jobs: expired reserves, interrupted attempts, reconciliation. Every instance runs them, and locks in the
/// database keep instances from doing the same work twice.
struct MaintenanceJobs: Sendable {
    let ledger: Ledger
    let payments: Payments
    let reconciliation: Reconciliation
    let interval: Duration
    let reconciliationInterval: Duration
    let metrics: DifferenceMetrics
    let log: Log

    private static let batch = 100

    /// Expires due reserves, until cancelled.
    func expireReserves() async throws {
        try await repeatedly { while try await ledger.expire(atMost: Self.batch) == Self.batch {} }
    }

    /// Resumes due attempts, until cancelled.
    func resumeAttempts() async throws {
        try await repeatedly { while try await payments.resumeDue(atMost: Self.batch) == Self.batch {} }
    }

    /// Runs scheduled reconciliations, until cancelled.
    func reconcile() async throws {
        try await repeatedly {
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
    }

    /// Updates the metric of unresolved differences, whichever instance found them, until cancelled.
    func countDifferences() async throws {
        try await repeatedly { metrics.show(try await reconciliation.counts()) }
    }

    private func repeatedly(_ work: () async throws -> Void) async throws {
        guard let loop = EventLoop.current else { preconditionFailure("a background job must run on a loop") }
        while true {
            try await work()
            try await loop.sleep(for: max(interval, .milliseconds(10)))
        }
    }
}

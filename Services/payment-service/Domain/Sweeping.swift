import ServiceKit
import Telemetry

/// Work that comes due with time: expired reserves, attempts cut off, reconciliation. Every instance runs it;
/// the database sees to it that nothing is done twice.
struct Sweeping: Sendable {
    let ledger: Ledger
    let payments: Payments
    let reconciliation: Reconciliation
    let reconciliationInterval: Duration
    let metrics: DifferenceMetrics
    let log: Log

    private static let batch = 100

    /// Gives back reserves whose time is up.
    func expireReserves() async throws {
        while try await ledger.expire(atMost: Self.batch) == Self.batch {}
    }

    /// Takes up attempts that are due.
    func takeUpAttempts() async throws {
        while try await payments.takeUpDue(atMost: Self.batch) == Self.batch {}
    }

    /// Reconciles when it is due.
    func reconcile() async throws {
        guard try await reconciliation.takeIfDue(every: reconciliationInterval) else { return }
        let outcome = try await reconciliation.run()
        let fields: Log.Fields = [
            "payments": .count(outcome.payments), "differences": .count(outcome.differences.count),
        ]
        if outcome.differences.isEmpty {
            log.info("reconciled", fields)
        } else {
            log.warning("reconciliation found differences", fields)
        }
    }

    /// Sets the metric to the number of standing differences, whichever instance has found them.
    func countDifferences() async throws { metrics.show(try await reconciliation.counts()) }
}

import EventLoop
import ServiceKit
import Telemetry

/// Work that comes due with time: expired reserves, attempts cut off, reconciliation. Every instance runs it;
/// the database sees to it that nothing is done twice.
struct Sweeping: Sendable {
    let ledger: Ledger
    let payments: Payments
    let reconciliation: Reconciliation
    let interval: Duration
    let reconciliationInterval: Duration
    let metrics: DifferenceMetrics
    let log: Log

    private static let batch = 100

    /// Gives back reserves whose time is up, until cancelled.
    func expireReserves() async throws {
        try await repeatedly { while try await ledger.expire(atMost: Self.batch) == Self.batch {} }
    }

    /// Takes up attempts that are due, until cancelled.
    func takeUpAttempts() async throws {
        try await repeatedly { while try await payments.takeUpDue(atMost: Self.batch) == Self.batch {} }
    }

    /// Reconciles when it is due, until cancelled.
    func reconcile() async throws {
        try await repeatedly {
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
    }

    /// Keeps the metric at what stands, whichever instance has found it, until cancelled.
    func countDifferences() async throws {
        try await repeatedly { metrics.show(try await reconciliation.counts()) }
    }

    private func repeatedly(_ work: () async throws -> Void) async throws {
        guard let loop = EventLoop.current else { preconditionFailure("background work runs on a loop") }
        while true {
            try await work()
            try await loop.sleep(for: max(interval, .milliseconds(10)))
        }
    }
}

import ServiceKit
import Wire

/// Compares stored payments with their providers and the ledger with its own sums, and lists the differences.
struct Reconciliation: Sendable {
    /// The result of a run.
    struct Outcome: Sendable {
        /// The unresolved differences, oldest first.
        var differences: [DifferenceStore.Entry]
        /// The number of payments compared with their provider.
        var payments: Int
        /// Whether every provider answered. If not, differences of payments stay unresolved.
        var isComplete: Bool
    }

    /// The comparison of payments with their providers.
    private struct Comparison {
        var checked = 0
        /// Whether every provider answered and every payment could be settled.
        var isComplete = true
        /// The first failure to settle a payment.
        var failure: (any Error)?
        /// Payments that could be neither settled nor marked as checked.
        var skipped: [Int64] = []
        /// Providers that are not asked any more, because they did not answer many times in a row.
        var silent: [String] = []
    }

    let audit: AuditStore
    let store: DifferenceStore
    let schedule: ScheduleStore
    let payments: Payments
    /// Payments first seen longer ago are not compared any more.
    let window: Duration
    /// Paid payments that stay unclaimed this long are listed.
    let unclaimedAfter: Duration

    private static let page = 100
    private static let listLimit = 1000
    /// A run stops its lookups at a provider after this many consecutive failures.
    private static let failureLimit = 5
    /// How long ended attempts, orders and webhook ids are kept.
    private static let retention = Duration.seconds(30 * 86_400)

    /// Claims the scheduled run; returns false if it is not due or another instance has claimed it.
    func claimIfDue(every interval: Duration) async throws -> Bool {
        try await schedule.claim("reconciliation", every: interval)
    }

    /// Compares everything once.
    ///
    /// - Throws: the first failure to settle a payment, after everything else has been compared.
    func run() async throws -> Outcome {
        let start = try await store.now()
        let comparison = try await comparePayments(since: start)
        for difference in try await audit.transactionSums() + audit.balances()
            + audit.leftovers(unclaimedBefore: start - unclaimedAfter)
        {
            try await store.record(difference)
        }
        let resolvable = Difference.Kind.allCases.filter { comparison.isComplete || !$0.needsProvider }
        try await store.resolve(resolvable, notSeenSince: start)
        try await payments.attempts.delete(before: start - Self.retention)
        try await payments.orders.delete(before: start - Self.retention)
        try await payments.webhooks.delete(before: start - Self.retention)
        try await schedule.finish("reconciliation")
        if let failure = comparison.failure { throw failure }
        return Outcome(
            differences: try await unresolved(), payments: comparison.checked, isComplete: comparison.isComplete)
    }

    /// Compares the ledger with its own sums and writes nothing down.
    func checkLedger() async throws -> [Difference] {
        try await audit.transactionSums() + audit.balances()
    }

    /// Returns the unresolved differences.
    func unresolved() async throws -> [DifferenceStore.Entry] {
        try await store.unresolved(limit: Self.listLimit)
    }

    /// Returns the number of unresolved differences of each kind.
    func counts() async throws -> [Difference.Kind: Int] { try await store.counts() }

    /// Compares every payment of the window with its provider. A missed cancellation is applied at once.
    private func comparePayments(since start: Timestamp) async throws -> Comparison {
        var comparison = Comparison()
        var failures: [String: Int] = [:]
        var floor: Timestamp?
        while true {
            let page = try await payments.payments.unchecked(
                since: start, notOlderThan: start - window, after: floor, except: comparison.skipped,
                notOf: comparison.silent, limit: Self.page)
            guard let last = page.last else { return comparison }
            floor = last.checkedAt
            for (record, _) in page where !comparison.silent.contains(record.provider) {
                let isChecked = await compare(record, in: &comparison)
                comparison.checked += 1
                let inARow = isChecked ? 0 : failures[record.provider, default: 0] + 1
                failures[record.provider] = inARow
                // A provider that is down is not asked about everything, and the next run continues with the rest. The
                // payments of other providers do not wait for it.
                if inARow == Self.failureLimit { comparison.silent.append(record.provider) }
            }
        }
    }

    /// Compares a payment without failing: the others do not wait for one that cannot be settled.
    ///
    /// - Returns: whether the provider answered, and the payment is marked as checked.
    private func compare(_ record: PaymentRecord, in comparison: inout Comparison) async -> Bool {
        do {
            let hasAnswered = try await compare(record)
            if !hasAnswered { comparison.isComplete = false }
            return hasAnswered
        } catch {
            comparison.isComplete = false
            comparison.failure = comparison.failure ?? error
        }
        do {
            // Without the mark it would be the first payment of each run.
            try await payments.payments.markChecked(record.id)
            return true
        } catch {
            comparison.skipped.append(record.id)
            return false
        }
    }

    /// - Returns: whether the provider answered.
    private func compare(_ record: PaymentRecord) async throws -> Bool {
        let differences: [Difference]
        switch await payments.providers.ask(about: record.report.reference, only: record.provider) {
        case .unusable:
            try await payments.payments.markChecked(record.id)
            return false
        case .unknown:
            try await payments.payments.markCompared(record.id)
            differences = PaymentComparison.differences(of: record, from: nil)
        case .payment(let report, _):
            let settled = try await payments.settle(report, of: record.provider, for: nil)
            try await payments.payments.markCompared(record.id)
            differences = PaymentComparison.differences(of: settled.before, from: report)
        }
        for difference in differences { try await store.record(difference) }
        return true
    }
}

extension Difference.Kind {
    /// Whether the difference depends on a provider's report.
    var needsProvider: Bool {
        switch self {
        case .paymentMissing, .paymentUnpaid, .paymentAmount, .paymentCurrency, .paymentOrder, .paymentCancelled: true
        case .paymentUnclaimed, .attemptAbandoned, .transactionSum, .accountBalance, .reservedSum, .purchasedSum,
            .captureUncollected:
            false
        }
    }
}
